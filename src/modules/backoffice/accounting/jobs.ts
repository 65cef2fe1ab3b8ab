import type { Job } from '../../../platform/jobs.ts';
import { MARKS_LEAST_MS } from '../../../platform/list/marks.ts';
import type { IdsTaken } from '../../money/ledger/ids-taken.ts';
import type { Accounting } from './service.ts';

export const accountingJobs = (accounting: Accounting, ids: IdsTaken): Job[] => [
  {
    name: 'statement.marks',
    everyMs: 1000,
    isDue: ids.since(accounting.hasMarksToSet, MARKS_LEAST_MS),
    run: () => accounting.setMarks(),
  },
];
