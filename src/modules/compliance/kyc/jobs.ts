import type { Job } from '../../../platform/jobs.ts';
import type { Kyc } from './service.ts';

export const kycJobs = (kyc: Kyc): Job[] => [
  { name: 'kyc.expire', everyMs: 10_000, run: () => kyc.expire() },
];
