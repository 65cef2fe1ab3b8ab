import type { Db } from '../../../platform/db.ts';
import type { Job } from '../../../platform/jobs.ts';
import { purgeEvents } from './read.ts';

/** Bites of one turn. */
const BITES = 20;

/** Old events go in small bites. */
export const eventJobs = (db: Db, { EVENTS_KEEP_DAYS: days }: { EVENTS_KEEP_DAYS: number }): Job[] => [
  {
    name: 'events.purge',
    everyMs: 60_000,
    run: async () => {
      for (let bite = 0; bite < BITES; bite++) if ((await purgeEvents(db, days)) === 0) return;
    },
  },
];
