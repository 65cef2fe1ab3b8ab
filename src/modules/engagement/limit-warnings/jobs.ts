import type { Job } from '../../../platform/jobs.ts';
import { ASKED_FOR_MS } from '../../games/bets/follow.ts';
import type { IdsTaken } from '../../money/ledger/ids-taken.ts';
import type { LimitWarnings } from './service.ts';

export const limitWarningJobs = (warnings: LimitWarnings, ids: IdsTaken): Job[] => [
  {
    name: 'limit-warnings.consume',
    everyMs: 1000,
    isDue: ids.since(warnings.hasNews, ASKED_FOR_MS),
    run: () => warnings.catchUp(),
  },
  { name: 'limit-warnings.purge', everyMs: 3_600_000, run: () => warnings.purge() },
];
