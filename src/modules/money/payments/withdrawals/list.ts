import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, page, pageOf, paginated, take } from '../../../../http/schemas.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { UserId, userErrors } from '../../../base/users/schemas.ts';
import { findUserId, getUser, sightOf } from '../../../base/users/service.ts';
import { withdrawalErrors } from '../errors.ts';
import { countByStatus, type WithdrawalRow } from './queries.ts';
import { STATUSES, statusesOf, type WithdrawalStatus } from './rules.ts';
import { PlayerStatus, PlayerWithdrawal, sorting, UserPath, Withdrawal, WithdrawalPath } from './schemas.ts';
import type { WithdrawalDeps } from './service.ts';
import { toPlayerWithdrawal, toViews, viewOf } from './view.ts';

export const listOwnWithdrawals = operation({
  method: 'GET',
  path: '/payments/withdraw',
  tag: 'Payments',
  access: 'auth',
  isHistory: true,
  summary: 'List your withdrawals',
  query: z.strictObject({ ...sorting, status: PlayerStatus.optional(), take: take(20) }),
  response: page(PlayerWithdrawal),
  handler: async ({ db, currencies }: WithdrawalDeps, { user: { id: userId }, query }) => {
    const statuses = query.status && statusesOf(query.status);
    const total = totalOf(await countByStatus(db, userId), statuses);
    return pageOf(query, total, async (offset) => {
      const rows = await readWithdrawals(db, { userId, statuses }, { ...query, offset });
      return rows.map((row) => toPlayerWithdrawal(row, currencies));
    });
  },
});

export const listWithdrawals = operation({
  method: 'GET',
  path: '/admin/payments/withdraw',
  tag: 'Admin Payments',
  access: { permission: 'withdraw.read' },
  summary: 'List withdrawals',
  description: '`username` must be a complete username, ignoring case.',
  query: z.strictObject({
    ...sorting,
    status: z.enum(STATUSES).optional(),
    userId: UserId.optional(),
    username: z.string().min(1).max(64).optional(),
    take: take(100),
  }),
  response: page(Withdrawal),
  handler: async ({ db }: WithdrawalDeps, { by, query }) => {
    const userId = await findUserId(db, query);
    if (userId === null) return paginated([], query, 0);
    const statuses = query.status && [query.status];
    // The counts over all users are stored, so a page does not scan the table.
    const total = totalOf(await countByStatus(db, userId), statuses);
    return pageOf(query, total, async (offset) => {
      const rows = await readWithdrawals(db, { userId, statuses }, { ...query, offset });
      return toViews(db, rows, sightOf(by.user));
    });
  },
});

/** Returns the number of withdrawals with these statuses, or of all withdrawals. */
const totalOf = (
  counts: ReadonlyMap<WithdrawalStatus, number>,
  statuses: readonly WithdrawalStatus[] = [...counts.keys()],
): number => statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);

type Filter = { userId?: number | undefined; statuses?: readonly WithdrawalStatus[] | undefined };
type Order = { sortBy: 'createdAt' | 'usdAmount'; sortOrder: 'asc' | 'desc'; take: number; offset: number };
const COLUMNS = { createdAt: 'created_at', usdAmount: 'usd_amount' } as const;

async function readWithdrawals(
  db: DbOrTx,
  { userId, statuses }: Filter,
  { sortBy, sortOrder, take, offset }: Order,
): Promise<WithdrawalRow[]> {
  const rows = await db
    .selectFrom('withdrawals')
    .selectAll()
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!))
    .$if(statuses !== undefined, (q) => q.where('status', 'in', [...statuses!]))
    .orderBy(COLUMNS[sortBy], sortOrder)
    .orderBy('id', sortOrder)
    .limit(take)
    .offset(offset)
    .execute();
  return rows as WithdrawalRow[];
}

export const getWithdrawalDetails = operation({
  method: 'GET',
  path: '/admin/payments/withdraw/{id}',
  tag: 'Admin Payments',
  access: { permission: 'withdraw.read' },
  summary: 'Get a withdrawal',
  params: WithdrawalPath,
  response: Withdrawal,
  errors: [withdrawalErrors.WITHDRAWAL_NOT_FOUND],
  handler: ({ db }: WithdrawalDeps, { by, params }) => viewOf(db, by, params.id),
});

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
