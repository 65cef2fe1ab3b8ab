import type { Job } from '../../../platform/jobs.ts';
import { consumerJob } from '../../games/bets/consume.ts';
import type { IdsTaken } from '../../money/ledger/ids-taken.ts';
import type { LimitWarnings } from './service.ts';

export const limitWarningJobs = (warnings: LimitWarnings, ids: IdsTaken): Job[] => [
  consumerJob('limit-warnings.consume', warnings, { ids }),
  { name: 'limit-warnings.purge', everyMs: 3_600_000, run: () => warnings.purge() },
];
