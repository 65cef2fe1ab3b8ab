import type { Job } from '../../platform/jobs.ts';
import type { Abandoned } from './abandoned.ts';

export const houseGameJobs = (abandoned: Abandoned): Job[] => [
  { name: 'rounds.abandoned', everyMs: 60_000, run: () => abandoned.sweep() },
];
