import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  Decimal,
  object,
  type Page,
  PageNumber,
  page,
  pageOf,
  SortOrder,
  SuccessResponse,
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/database/db.ts';
import { DAY_SECONDS, deleteDue } from '../../../platform/jobs/purge.ts';
import { formatUnits } from '../../../platform/money.ts';
import { type Period, periodStart } from '../../../platform/periods.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { ShortPrivateUser, UserId, Username, userErrors } from '../../base/users/schemas.ts';
import {
  findUserByUsername,
  getUser,
  isHidden,
  SHORT_USER_COLUMNS,
  type Sight,
  sightOf,
  toShortPrivateUser,
} from '../../base/users/service.ts';
import { lockCursor, moveCursor, reset } from '../../games/bets/consume.ts';
import { betErrors, ShortGameIdentity } from '../../games/bets/schemas.ts';
import { playerStats } from './rules.ts';
import type { UserStatsDeps } from './service.ts';
import { adminStatsOf, CURSOR, FullUserStats, readPlayer, UserAdminStats } from './totals.ts';

const UserMyStats = object('UserMyStatsDto', {
  wageredUsd: Decimal,
  profitUsd: Decimal,
  betCount: z.number(),
  winCount: z.number(),
  biggestWinUsd: Decimal,
  bestMultiplier: z.number(),
  favoriteGame: ShortGameIdentity.nullable(),
});

const UserPublicStats = object('UserPublicStatsDto', {
  username: z.string(),
  avatar: z.string().nullable(),
  vipLevel: z.number(),
  isPrivate: z.boolean(),
  createdAt: Timestamp,
  ...UserMyStats.shape,
  wageredUsd: Decimal.nullable(),
  profitUsd: Decimal.nullable(),
  biggestWinUsd: Decimal.nullable(),
});

export const getOwnStats = operation({
  method: 'GET',
  path: '/user/me/stats',
  tag: 'User',
  access: 'auth',
  isHistory: true,
  summary: 'Get your statistics, including your last bet',
  response: UserMyStats,
  handler: ({ db }: UserStatsDeps, { user }) => playerStatsOf(db, user.id),
});

/**
 * For hidden players, the response contains neither amounts nor an avatar. Lists and feeds show them as Incognito. Sums that grow with the
 * bets in those lists would reveal who they are.
 */
export const getPublicStats = operation({
  method: 'GET',
  path: '/user/{username}/stats',
  tag: 'User',
  access: 'anonymous',
  isHistory: true,
  summary: "Get a player's public statistics",
  description: 'Amounts and the avatar are null if the player hides them.',
  params: z.object({ username: Username }),
  response: UserPublicStats,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async ({ db }: UserStatsDeps, { params }) => {
    const user = await findUserByUsername(db, params.username);
    if (!user) throw userErrors.USER_NOT_FOUND();
    const isPrivate = isHidden(user);
    return {
      ...(await playerStatsOf(db, user.id)),
      username: user.username!,
      avatar: isPrivate ? null : user.avatar,
      vipLevel: user.vip_level,
      createdAt: iso(user.created_at),
      isPrivate,
      ...(isPrivate ? { wageredUsd: null, profitUsd: null, biggestWinUsd: null } : {}),
    };
  },
});

/** Returns a player's statistics: stored sums plus the bets that the consumer has not processed yet. */
export async function playerStatsOf(db: Db, userId: number): Promise<z.input<typeof UserMyStats>> {
  const { totals, favorite } = await readPlayer(db, userId);
  return { ...playerStats(totals), favoriteGame: favorite };
}

/** The backoffice API specification defines the user id as a string. */
const TextUserPath = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .pipe(UserId)
    .meta({ example: '1000' }),
});

export const getFullStats = operation({
  method: 'GET',
  path: '/admin/user/{id}/full/stats',
  tag: 'Admin User',
  access: { permission: 'user.read' },
  summary: "Get a user's statistics: bets, deposits, withdrawals",
  description: 'Amounts are in US dollars.',
  params: z.object({ id: UserId }),
  response: UserAdminStats,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async ({ db }: UserStatsDeps, { params: { id } }) => {
    await getUser(db, id);
    return (await adminStatsOf(db, [id])).get(id)!;
  },
});

/** The backoffice requires a superadmin, and its schema for the same fields has a different name. */
export const getFullStatsInBackoffice = {
  ...getFullStats,
  access: 'superadmin' as const,
  params: TextUserPath,
  response: FullUserStats,
};

export const rebuildStats = operation({
  method: 'POST',
  path: '/admin/user/stats/migrate',
  tag: 'Admin User',
  access: 'superadmin',
  gate: 'none',
  summary: 'Rebuild all statistics from the bets',
  description:
    'Resets the consumer, which then applies every bet again. Statistics stay exact in the meantime, but reading them takes ' +
    'longer. Calling the operation twice is harmless.',
  response: SuccessResponse,
  errors: [betErrors.BETS_DETACHED],
  handler: ({ db }: UserStatsDeps, { by }) =>
    transaction(db, async (tx) => {
      const before = await lockCursor(tx, CURSOR);
      await freshActor(tx, by);
      const after = await reset(tx, before);
      await moveCursor(tx, CURSOR, after);
      await recordAudit(tx, by, { before: toAudit(before), after: toAudit(after) });
      return { success: true };
    }),
});

const toAudit = ({ position, generation }: { position: bigint; generation: number }) => ({
  position: String(position),
  generation,
});

const RANGES = { HOURLY: 'HOUR', DAILY: 'DAY', WEEKLY: 'WEEK', MONTHLY: 'MONTH' } as const;

const Query = z.strictObject({
  transactionType: z.enum(['DEPOSIT', 'WITHDRAW']),
  dataRange: z.enum(['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY']).optional().meta({
    description:
      'The current hour, day, week (from Monday) or month in UTC. If omitted, the statistics cover all time.',
  }),
  sortBy: z.enum(['amount']).optional(),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(30),
});

const TransactionStatsRow = object('UserTransactionStatsRow', {
  userId: z.number().int(),
  user: ShortPrivateUser,
  amount: Decimal,
  count: z.number(),
  lastTransactionAt: Timestamp,
});

export const listPaymentStats = operation({
  method: 'GET',
  path: '/admin/user/stats/transactions',
  tag: 'Admin User',
  access: { permission: 'user.read' },
  summary: 'List users by deposits or withdrawals in a period',
  description: 'Covers the current hour, day, week or month, or all time.',
  query: Query,
  response: page(TransactionStatsRow),
  handler: (deps: UserStatsDeps, { query, by }) => readPaymentStats(deps, query, sightOf(by.user)),
});

/** Reads a page of users through the index on amounts. */
export async function readPaymentStats(
  { db, databaseClock }: Pick<UserStatsDeps, 'db' | 'databaseClock'>,
  query: z.output<typeof Query>,
  sight: Sight,
): Promise<Page<z.input<typeof TransactionStatsRow>>> {
  const period = query.dataRange ? RANGES[query.dataRange] : 'ALL';
  const start = periodStart(period, new Date(databaseClock.now()));
  const all = db
    .selectFrom('payment_stats')
    .where('kind', '=', query.transactionType)
    .where('period', '=', period)
    .where('period_start', '=', sql<Date>`${start}`);
  const { total } = await all.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  return pageOf(query, total, async (offset) => {
    const top = all
      .select(['user_id', 'usd_amount', 'payments', 'last_at'])
      .orderBy('usd_amount', query.sortOrder)
      .orderBy('user_id', query.sortOrder)
      .limit(query.take)
      .offset(offset);
    const rows = await db
      .selectFrom(top.as('top'))
      .innerJoin('users', 'users.id', 'top.user_id')
      .select(['usd_amount', 'payments', 'last_at', ...SHORT_USER_COLUMNS])
      .orderBy('usd_amount', query.sortOrder)
      .orderBy('user_id', query.sortOrder)
      .execute();
    return rows.map((row) => ({
      userId: row.id,
      user: toShortPrivateUser(row, sight),
      amount: formatUnits(BigInt(row.usd_amount)),
      count: Number(row.payments),
      lastTransactionAt: iso(row.last_at),
    }));
  });
}

/** Short periods are deleted soon after they end, because only the current period can be queried. */
const KEPT_DAYS = { HOUR: 2, DAY: 40 } as const satisfies Partial<Record<Period, number>>;

/** The retention rules, one for each prefix of the primary key. */
export const EXPIRIES = Object.entries(KEPT_DAYS).flatMap(([period, days]) =>
  ['DEPOSIT', 'WITHDRAW'].map((kind) => ({
    table: 'payment_stats',
    after: 'period_start',
    keepSeconds: days * DAY_SECONDS,
    where: `kind = '${kind}' and period = '${period}'`,
  })),
);

/** Deletes expired hours and days. */
export async function purgePaymentStats(db: Db): Promise<void> {
  for (const expiry of EXPIRIES) await deleteDue(db, expiry);
}
