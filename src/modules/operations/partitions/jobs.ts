import type { Job } from '../../../platform/jobs/jobs.ts';
import type { Partitions } from './service.ts';

export const partitionJobs = (partitions: Partitions): Job[] => [
  { name: 'partitions.maintain', everyMs: 60_000, run: () => partitions.maintain() },
];
