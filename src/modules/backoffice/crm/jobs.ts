import type { Job } from '../../../platform/jobs.ts';
import type { Crm } from './service.ts';

/** How often minutes that are over are looked for. */
const MINUTES_MS = 10_000;
const HOUR_MS = 3_600_000;

export const crmJobs = (crm: Crm): Job[] => [
  { name: 'crm.purge', everyMs: HOUR_MS, run: () => crm.purge() },
  ...(crm.isTold
    ? [
        { name: 'crm.minutes', everyMs: MINUTES_MS, run: () => crm.minutes.tell() },
        {
          name: 'crm.deliver',
          everyMs: 250,
          quietMs: 1000,
          isDue: crm.delivery.isDue,
          run: crm.delivery.turn,
        },
      ]
    : [{ name: 'crm.end', everyMs: HOUR_MS, run: () => crm.end() }]),
];
