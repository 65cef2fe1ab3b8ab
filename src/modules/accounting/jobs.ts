import type { Job } from '../../platform/jobs.ts';
import type { Accounting } from './service.ts';

export const accountingJobs = (accounting: Accounting): Job[] => [
  { name: 'statement.marks', everyMs: 1000, run: () => accounting.setMarks() },
];
