import type { Job } from '../../platform/jobs.ts';
import type { Inbox } from './service.ts';

export const webhookJobs = (inbox: Inbox): Job[] => [
  { name: 'webhooks.retry', everyMs: 10_000, run: () => inbox.retry() },
];
