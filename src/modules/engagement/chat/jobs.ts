import type { Job } from '../../../platform/jobs.ts';
import type { Chat } from './service.ts';

export const chatJobs = (chat: Chat): Job[] => [
  { name: 'chat.purge', everyMs: 3_600_000, run: () => chat.purge() },
];
