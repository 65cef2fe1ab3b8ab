import type { Job } from '../../../platform/jobs.ts';
import { ASKED_FOR_MS } from '../../games/bets/follow.ts';
import type { IdsTaken } from '../../money/ledger/ids-taken.ts';
import type { UserStats } from './service.ts';

export const userStatsJobs = (stats: UserStats, ids: IdsTaken): Job[] => [
  {
    name: 'user-stats.consume',
    everyMs: 1000,
    isDue: ids.since(stats.hasNews, ASKED_FOR_MS),
    run: () => stats.catchUp(),
  },
  { name: 'payment-stats.purge', everyMs: 3_600_000, run: () => stats.purge() },
];
