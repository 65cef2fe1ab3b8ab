import type { Job } from '../../../../platform/jobs.ts';
import type { ReturnAlerts } from './alerts/service.ts';

export const returnJobs = (alerts: ReturnAlerts): Job[] => [
  { name: 'returns.check', everyMs: 600_000, run: () => alerts.check() },
];
