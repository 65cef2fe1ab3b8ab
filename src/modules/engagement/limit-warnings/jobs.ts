import type { Job } from '../../../platform/jobs.ts';
import type { LimitWarnings } from './service.ts';

export const limitWarningJobs = (warnings: LimitWarnings): Job[] => [
  { name: 'limit-warnings.purge', everyMs: 3_600_000, run: () => warnings.purge() },
];
