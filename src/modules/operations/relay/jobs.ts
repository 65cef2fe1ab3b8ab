import type { Job } from '../../../platform/jobs/jobs.ts';
import type { IdsTaken } from '../../money/ledger/safe-watermark.ts';
import type { Relay } from './service.ts';

/**
 * Every event reserves an id, so new events need new ids. The job still runs at this interval, because an operator may have set the cursor
 * back.
 */
const LEAST_MS = 10_000;

export const relayJobs = (relay: Relay, ids: IdsTaken): Job[] => [
  {
    name: 'events.relay',
    everyMs: 200,
    quietMs: 1000,
    isDue: ids.since(relay.hasNews, LEAST_MS),
    run: () => relay.turn(),
  },
];
