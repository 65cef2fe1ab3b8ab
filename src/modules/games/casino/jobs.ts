import type { Job } from '../../../platform/jobs.ts';
import { HYDRATE_JOB, type Hydration } from './hydrate/service.ts';

export const casinoJobs = (hydration: Hydration): Job[] => [
  { name: HYDRATE_JOB, everyMs: 12 * 3_600_000, run: () => hydration.run() },
];
