import { type ExpressionBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { offsetOf, type Page, paginated } from '../../http/schemas.ts';
import { type Clock, iso } from '../../platform/clock.ts';
import type { DB } from '../../platform/database.ts';
import type { Db, DbOrTx, Tx } from '../../platform/db.ts';
import { formatUnits, type Units } from '../../platform/money.ts';
import { PERIODS, type Period, periodStart } from '../../platform/periods.ts';
import { SHORT_USER_COLUMNS, type Sight, toShortPrivateUser } from '../users/service.ts';
import type { TransactionStatsQuery, TransactionStatsRow } from './schemas.ts';

export type Payment = {
  userId: number;
  kind: 'DEPOSIT' | 'WITHDRAW';
  usdAmount: Units;
  /** When it was completed: it counts in the hour, day, week and month of then. */
  at: Date;
  /** -1 takes back a payment that was recorded before with the same amount and time. */
  sign?: 1 | -1;
};

/** Counts a completed deposit or withdrawal, in the transaction that completes it. Once: the caller sees to that. */
export async function recordPayment(tx: Tx, payment: Payment): Promise<void> {
  if (payment.sign === -1) await takeBack(tx, payment);
  else await add(tx, payment);
}

async function add(tx: Tx, { userId, kind, usdAmount, at }: Payment): Promise<void> {
  const rows = PERIODS.map((period) => ({
    kind,
    period,
    period_start: periodStart(period, at),
    user_id: userId,
    usd_amount: String(usdAmount),
    payments: 1n,
    last_at: at,
  }));
  await tx
    .insertInto('payment_stats')
    .values(rows)
    .onConflict((oc) =>
      oc.columns(['kind', 'period', 'period_start', 'user_id']).doUpdateSet({
        usd_amount: sql`payment_stats.usd_amount + excluded.usd_amount`,
        payments: sql`payment_stats.payments + 1`,
        last_at: sql`greatest(payment_stats.last_at, excluded.last_at)`,
      }),
    )
    .execute();
}

/** Short periods may have been purged since: what is no longer there needs no correction. */
async function takeBack(tx: Tx, payment: Payment): Promise<void> {
  const changed = await tx
    .updateTable('payment_stats')
    .set({ usd_amount: sql`usd_amount - ${String(payment.usdAmount)}::numeric`, payments: sql`payments - 1` })
    .where(ofPayment(payment))
    .returning('period')
    .execute();
  if (!changed.some(({ period }) => period === 'ALL'))
    throw new RangeError(`user ${payment.userId} has no ${payment.kind} to take back`);
  await tx.deleteFrom('payment_stats').where(ofPayment(payment)).where('payments', '<=', 0n).execute();
}

const ofPayment =
  ({ userId, kind, at }: Payment) =>
  (eb: ExpressionBuilder<DB, 'payment_stats'>) =>
    eb.and([
      eb('user_id', '=', userId),
      eb('kind', '=', kind),
      eb.or(
        PERIODS.map((period) =>
          eb.and([eb('period', '=', period), eb('period_start', '=', sql<Date>`${periodStart(period, at)}`)]),
        ),
      ),
    ]);

/** What a player has paid in since the day, week and month began that hold a moment; dollars. */
export async function depositedOf(
  db: DbOrTx,
  userId: number,
  at: Date,
): Promise<Record<'DAY' | 'WEEK' | 'MONTH', Units>> {
  const periods = ['DAY', 'WEEK', 'MONTH'] as const;
  const rows = await db
    .selectFrom('payment_stats')
    .select(['period', 'usd_amount'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'DEPOSIT')
    .where((eb) =>
      eb.or(
        periods.map((period) =>
          eb.and([eb('period', '=', period), eb('period_start', '=', periodStart(period, at))]),
        ),
      ),
    )
    .execute();
  const of = (period: string) => BigInt(rows.find((row) => row.period === period)?.usd_amount ?? 0);
  return { DAY: of('DAY'), WEEK: of('WEEK'), MONTH: of('MONTH') };
}

/** What a player has paid in in his life; dollars. */
export async function depositedEver(db: DbOrTx, userId: number): Promise<Units> {
  const row = await db
    .selectFrom('payment_stats')
    .select('usd_amount')
    .where('kind', '=', 'DEPOSIT')
    .where('period', '=', 'ALL')
    .where('period_start', '=', sql<Date>`'-infinity'`)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return BigInt(row?.usd_amount ?? 0);
}

const RANGES = { HOURLY: 'HOUR', DAILY: 'DAY', WEEKLY: 'WEEK', MONTHLY: 'MONTH' } as const;
/** How long the short periods are kept: nobody asks for one that is over. */
const KEPT_DAYS = { HOUR: 2, DAY: 40 } as const satisfies Partial<Record<Period, number>>;
const DAY_MS = 86_400_000;

export function createPaymentStats({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** Who paid in, or was paid, how much in the running period, through the index in the order of amounts. */
    async transactions(
      query: z.output<typeof TransactionStatsQuery>,
      sight: Sight,
    ): Promise<Page<z.input<typeof TransactionStatsRow>>> {
      const period = query.dataRange ? RANGES[query.dataRange] : 'ALL';
      const start = periodStart(period, new Date(clock.now()));
      const all = db
        .selectFrom('payment_stats')
        .where('kind', '=', query.transactionType)
        .where('period', '=', period)
        .where('period_start', '=', sql<Date>`${start}`);
      const { total } = await all.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
      const offset = offsetOf(query, total);
      if (offset === undefined) return paginated<z.input<typeof TransactionStatsRow>>([], query, total);
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
      const data = rows.map((row) => ({
        userId: row.id,
        user: toShortPrivateUser(row, sight),
        amount: formatUnits(BigInt(row.usd_amount)),
        count: Number(row.payments),
        lastTransactionAt: iso(row.last_at),
      }));
      return paginated(data, query, total);
    },

    /** Deletes hours and days that are long over. */
    async purge(): Promise<void> {
      for (const [period, days] of Object.entries(KEPT_DAYS)) {
        await db
          .deleteFrom('payment_stats')
          .where('kind', 'in', ['DEPOSIT', 'WITHDRAW'])
          .where('period', '=', period)
          .where('period_start', '<', new Date(clock.now() - days * DAY_MS))
          .execute();
      }
    },
  };
}
