import type { Job } from '../../../platform/jobs.ts';
import { consumerJob } from '../../games/bets/consume.ts';
import type { IdsTaken } from '../../money/ledger/ids-taken.ts';
import type { UserStats } from './service.ts';

export const userStatsJobs = (stats: UserStats, ids: IdsTaken): Job[] => [
  consumerJob('user-stats.consume', stats, { ids }),
  { name: 'payment-stats.purge', everyMs: 3_600_000, run: () => stats.purge() },
];
