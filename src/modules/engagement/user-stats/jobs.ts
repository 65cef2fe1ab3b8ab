import type { Job } from '../../../platform/jobs.ts';
import type { UserStats } from './service.ts';

export const userStatsJobs = (stats: UserStats): Job[] => [
  { name: 'payment-stats.purge', everyMs: 3_600_000, run: () => stats.purge() },
];
