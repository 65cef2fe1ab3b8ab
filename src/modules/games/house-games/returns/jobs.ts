import type { Job } from '../../../../platform/jobs.ts';
import type { IdsTaken } from '../../../money/ledger/ids-taken.ts';
import { consumerJob } from '../../bets/consume.ts';
import type { ReturnAlerts } from './alerts/service.ts';
import type { Returns } from './service.ts';

export const returnJobs = (returns: Returns, alerts: ReturnAlerts, ids: IdsTaken): Job[] => [
  consumerJob('returns.consume', returns, { ids, everyMs: 2000 }),
  { name: 'returns.check', everyMs: 600_000, run: () => alerts.check() },
];
