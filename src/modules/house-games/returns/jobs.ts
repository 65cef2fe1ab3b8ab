import type { Job } from '../../../platform/jobs.ts';
import type { ReturnAlerts } from './alerts/service.ts';
import type { Returns } from './service.ts';

export const returnJobs = (returns: Returns, alerts: ReturnAlerts): Job[] => [
  { name: 'returns.consume', everyMs: 2000, run: () => returns.catchUp() },
  { name: 'returns.check', everyMs: 600_000, run: () => alerts.check() },
];
