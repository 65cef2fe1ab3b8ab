import type { Job } from '../../../platform/jobs.ts';
import type { ComingSoon } from './service.ts';

export const comingSoonJobs = (comingSoon: ComingSoon): Job[] => [
  { name: 'coming-soon.purge', everyMs: 86_400_000, run: () => comingSoon.purge() },
];
