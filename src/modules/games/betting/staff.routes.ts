import { route } from '../../../http/route.ts';
import type { BetQueue } from './bet-queue.ts';

export const betQueueStaffRoutes = (queue: BetQueue) => [
  route({
    method: 'POST',
    path: '/admin/bet-queue/retry',
    tag: 'AdminBetQueue',
    access: { permission: 'bet.write' },
    gate: 'none',
    summary: 'Try once more to settle the bets that could not be settled',
    description:
      'Each ends as it would have ended (SETTLED or ROLLBACK), once; one that fails again stays ERROR with its reason.',
    handler: ({ by }) => queue.retry(by),
  }),
];
