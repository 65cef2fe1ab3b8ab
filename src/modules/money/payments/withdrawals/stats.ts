import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object } from '../../../../http/schemas.ts';
import { userErrors } from '../../../base/users/errors.ts';
import { getUser } from '../../../base/users/service.ts';
import type { WithdrawalDeps } from './deps.ts';
import { countByStatus } from './queries.ts';
import type { WithdrawalStatus } from './rules.ts';
import { UserPath } from './schemas.ts';

const WithdrawalStats = object('WithdrawalStats', {
  total: z.number(),
  waitingForApproval: z.number(),
  approved: z.number(),
  rejected: z.number(),
  failed: z.number(),
});
type Stats = z.output<typeof WithdrawalStats>;

const read = { method: 'GET', tag: 'Admin Payments', access: { permission: 'withdraw.read' } } as const;

export const getWithdrawalStats = operation({
  ...read,
  path: '/admin/payments/withdraw/stats',
  summary: 'Count withdrawals by status',
  response: WithdrawalStats,
  handler: async ({ db }: WithdrawalDeps) => statsOf(await countByStatus(db)),
});

export const getWithdrawalStatsOfUser = operation({
  ...read,
  path: '/admin/payments/withdraw/stats/{userId}',
  summary: "Count a user's withdrawals by status",
  params: UserPath,
  response: WithdrawalStats,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async ({ db }: WithdrawalDeps, { params: { userId } }) => {
    await getUser(db, userId);
    return statsOf(await countByStatus(db, userId));
  },
});

const COUNTED_AS: Readonly<Record<WithdrawalStatus, Exclude<keyof Stats, 'total'>>> = {
  WAITING_FOR_APPROVAL: 'waitingForApproval',
  ON_HOLD: 'waitingForApproval',
  APPROVED: 'approved',
  PROCESSING: 'approved',
  UNKNOWN_OUTCOME: 'approved',
  SENT: 'approved',
  COMPLETED: 'approved',
  REJECTED: 'rejected',
  CANCELLED: 'rejected',
  FAILED: 'failed',
};

export function statsOf(counts: ReadonlyMap<WithdrawalStatus, number>): Stats {
  const stats: Stats = { total: 0, waitingForApproval: 0, approved: 0, rejected: 0, failed: 0 };
  for (const [status, count] of counts) {
    stats.total += count;
    stats[COUNTED_AS[status]] += count;
  }
  return stats;
}
