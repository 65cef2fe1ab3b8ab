import type { Job } from '../../../platform/jobs.ts';
import type { UserLimits } from './service.ts';

export const limitJobs = (limits: UserLimits): Job[] => [
  { name: 'limits.exclusions-ended', everyMs: 10_000, run: limits.tellEnded },
];
