import type { Job } from '../../../../platform/jobs.ts';
import type { Deposits } from './service.ts';

export const depositJobs = (deposits: Deposits): Job[] => [
  { name: 'deposits.release', everyMs: 60_000, run: () => deposits.release() },
];
