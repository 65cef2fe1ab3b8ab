import type { Job } from '../../platform/jobs.ts';
import type { Bets } from './service.ts';

export const betJobs = (bets: Bets): Job[] => [
  { name: 'bets.marks', everyMs: 1000, run: () => bets.setMarks() },
];
