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
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { DAY_SECONDS, deleteDue } from '../../../platform/jobs/purge.ts';
import { formatUnits } from '../../../platform/money.ts';
import { type Period, periodStart } from '../../../platform/periods.ts';
import { ShortPrivateUser } from '../../base/users/schemas.ts';
import { SHORT_USER_COLUMNS, type Sight, sightOf, toShortPrivateUser } from '../../base/users/service.ts';
import type { UserStatsDeps } from './service.ts';

const RANGES = { HOURLY: 'HOUR', DAILY: 'DAY', WEEKLY: 'WEEK', MONTHLY: 'MONTH' } as const;

const Query = z.strictObject({
  transactionType: z.enum(['DEPOSIT', 'WITHDRAW']),
  dataRange: z
    .enum(['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'])
    .optional()
    .meta({ description: 'The current hour, day, week (from Monday) or month in UTC; absent: all time.' }),
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

/** Reads the page through the index on amounts. */
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

/** Short periods are deleted soon after they end, because only the current one can be queried. */
const KEPT_DAYS = { HOUR: 2, DAY: 40 } as const satisfies Partial<Record<Period, number>>;

/** One expiry for each prefix of the primary key. */
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
