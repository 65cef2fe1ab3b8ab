import type { Job } from '../../../platform/jobs.ts';
import type { Inbox } from './service.ts';

export const webhookJobs = (
  inbox: Inbox,
  { WEBHOOKS_KEEP_DAYS: days }: { WEBHOOKS_KEEP_DAYS: number },
): Job[] => [
  { name: 'webhooks.retry', everyMs: 10_000, run: () => inbox.retry() },
  { name: 'webhooks.purge', everyMs: 3_600_000, run: () => inbox.forget(days) },
];
