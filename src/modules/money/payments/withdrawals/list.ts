import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import {
  countedPage,
  estimated,
  estimatedPage,
  object,
  page,
  pageOf,
  Time,
  take,
} from '../../../../http/schemas.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { dateOf, inTime } from '../../../../platform/list/conditions.ts';
import { countUpTo } from '../../../../platform/list/page.ts';
import { UserId, userErrors } from '../../../base/users/schemas.ts';
import { findUserId, getUser, sightOf } from '../../../base/users/service.ts';
import { withdrawalErrors } from '../errors.ts';
import { needsTwoPeople, REVIEWABLE } from './decide.ts';
import { countByStatus, type WithdrawalRow } from './queries.ts';
import { STATUSES, statusesOf, WAITING, type WithdrawalStatus } from './rules.ts';
import { PlayerStatus, PlayerWithdrawal, sorting, UserPath, Withdrawal, WithdrawalPath } from './schemas.ts';
import type { WithdrawalDeps } from './service.ts';
import { getWithdrawal } from './transition.ts';
import { toPlayerWithdrawal, toViews } from './view.ts';

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
  description:
    '`username` must be a complete username, ignoring case. `startDate` and `endDate` are times of the request, both included. ' +
    'Within a period, only the first 10,000 rows are counted and can be read.',
  query: z.strictObject({
    ...sorting,
    status: z.enum(STATUSES).optional(),
    isWaiting: z
      .boolean()
      .optional()
      .meta({
        description: `Returns only withdrawals that wait for staff (${WAITING.join(', ')}), or only the others.`,
      }),
    userId: UserId.optional(),
    username: z.string().min(1).max(64).optional(),
    startDate: Time.optional(),
    endDate: Time.optional(),
    take: take(100),
  }),
  response: estimatedPage(Withdrawal),
  handler: async ({ db }: WithdrawalDeps, { by, query }) => {
    const userId = await findUserId(db, query);
    const statuses = statusesIn(query);
    if (userId === null || statuses?.length === 0) return estimated([], query, { total: 0 });
    const filter = {
      userId,
      statuses,
      start: dateOf(query.startDate),
      end: dateOf(query.endDate),
    };
    const read = async (slice: { offset: number; take: number }) =>
      toViews(db, await readWithdrawals(db, filter, { ...query, ...slice }), sightOf(by.user));
    if (filter.start || filter.end)
      return countedPage(
        query,
        (most) => countUpTo(db, selectWithdrawals(db, filter).select('id'), most),
        ({ offset, limit }) => read({ offset, take: limit }),
      );
    // The counts over all users are stored, so a page does not scan the table.
    const total = totalOf(await countByStatus(db, userId), filter.statuses);
    const whole = await pageOf(query, total, (offset) => read({ offset, take: query.take }));
    return { ...whole, totalIsExact: true };
  },
});

type Statuses = { status?: WithdrawalStatus | undefined; isWaiting?: boolean | undefined };

/** Returns the statuses that match both filters, which may be none, or undefined if neither is set. */
function statusesIn({ status, isWaiting }: Statuses): readonly WithdrawalStatus[] | undefined {
  if (status === undefined && isWaiting === undefined) return undefined;
  return STATUSES.filter(
    (one) =>
      (status === undefined || one === status) &&
      (isWaiting === undefined || WAITING.includes(one) === isWaiting),
  );
}

/** Returns the number of withdrawals with these statuses, or of all withdrawals. */
const totalOf = (
  counts: ReadonlyMap<WithdrawalStatus, number>,
  statuses: readonly WithdrawalStatus[] = [...counts.keys()],
): number => statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);

type Filter = {
  userId?: number | undefined;
  statuses?: readonly WithdrawalStatus[] | undefined;
  /** The first and the last time of the request. */
  start?: Date | undefined;
  end?: Date | undefined;
};
type Order = { sortBy: 'createdAt' | 'usdAmount'; sortOrder: 'asc' | 'desc'; take: number; offset: number };
const COLUMNS = { createdAt: 'created_at', usdAmount: 'usd_amount' } as const;

const selectWithdrawals = (db: DbOrTx, { userId, statuses, start, end }: Filter) =>
  db
    .selectFrom('withdrawals')
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!))
    .$if(statuses !== undefined, (q) => q.where('status', 'in', [...statuses!]))
    .$call((q) => inTime({ start, end }).reduce((all, one) => all.where(one), q));

async function readWithdrawals(
  db: DbOrTx,
  filter: Filter,
  { sortBy, sortOrder, take, offset }: Order,
): Promise<WithdrawalRow[]> {
  const rows = await selectWithdrawals(db, filter)
    .selectAll()
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
  handler: async (deps: WithdrawalDeps, { by, params: { id } }) => {
    const row = await getWithdrawal(deps.db, id);
    const [view] = await toViews(deps.db, [row], sightOf(by.user));
    if (!REVIEWABLE.includes(row.status)) return view!;
    return { ...view!, needsTwoPeople: await needsTwoPeople(deps.db, deps, row) };
  },
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
