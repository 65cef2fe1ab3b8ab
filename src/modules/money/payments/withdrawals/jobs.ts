import type { Job } from '../../../../platform/jobs.ts';
import type { Tasks } from '../../../../platform/queue.ts';
import { SEND } from './send.ts';
import type { Withdrawals } from './service.ts';

/** What requests put into the queue. */
export const withdrawalTasks = ({ sending }: Pick<Withdrawals, 'sending'>): Tasks => ({
  [SEND]: sending.run,
});

export const withdrawalJobs = ({ sending }: Pick<Withdrawals, 'sending'>): Job[] => [
  { name: 'withdrawals.watch', everyMs: 2_000, isDue: sending.isAnyDue, run: sending.watch },
];
