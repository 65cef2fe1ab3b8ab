import type { Job } from '../../../platform/jobs.ts';
import { MARKS_LEAST_MS } from '../../../platform/list/marks.ts';
import type { IdsTaken } from '../../money/ledger/ids-taken.ts';
import type { Bets } from './service.ts';

export const betJobs = (bets: Bets, ids: IdsTaken): Job[] => [
  {
    name: 'bets.marks',
    everyMs: 1000,
    isDue: ids.since(bets.hasMarksToSet, MARKS_LEAST_MS),
    run: () => bets.setMarks(),
  },
];
