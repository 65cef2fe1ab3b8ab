import type { Job } from '../../../platform/jobs.ts';
import type { Webhooks } from './service.ts';

export const webhookJobs = (
  webhooks: Webhooks,
  { WEBHOOKS_KEEP_DAYS: days }: { WEBHOOKS_KEEP_DAYS: number },
): Job[] => [
  { name: 'webhooks.retry', everyMs: 10_000, run: () => webhooks.retry() },
  { name: 'webhooks.purge', everyMs: 3_600_000, run: () => webhooks.forget(days) },
];
