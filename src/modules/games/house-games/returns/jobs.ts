import type { Job } from '../../../../platform/jobs.ts';
import type { IdsTaken } from '../../../money/ledger/ids-taken.ts';
import { ASKED_FOR_MS } from '../../bets/follow.ts';
import type { ReturnAlerts } from './alerts/service.ts';
import type { Returns } from './service.ts';

export const returnJobs = (returns: Returns, alerts: ReturnAlerts, ids: IdsTaken): Job[] => [
  {
    name: 'returns.consume',
    everyMs: 2000,
    isDue: ids.since(returns.hasNews, ASKED_FOR_MS),
    run: () => returns.catchUp(),
  },
  { name: 'returns.check', everyMs: 600_000, run: () => alerts.check() },
];
