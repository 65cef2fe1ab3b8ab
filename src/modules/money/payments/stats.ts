import { type ExpressionBuilder, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { DB } from '../../../platform/database/tables.ts';
import type { Units } from '../../../platform/money.ts';
import { PERIODS, type Period, periodStart } from '../../../platform/periods.ts';

export type Payment = {
  userId: number;
  kind: 'DEPOSIT' | 'WITHDRAW';
  usdAmount: Units;
  /** The time of completion, which determines the hour, day, week and month of the payment. */
  at: Date;
};

/**
 * Adds a completed deposit or withdrawal to the statistics. The caller must call this once, in the transaction that completes the payment.
 */
export async function recordPayment(tx: Tx, { userId, kind, usdAmount, at }: Payment): Promise<void> {
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

/**
 * Removes a recorded payment with the same amount and time. Rows of short periods may already have been deleted and then need no
 * correction.
 */
export async function takeBackPayment(tx: Tx, payment: Payment): Promise<void> {
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
  ({ userId, kind, at }: Omit<Payment, 'usdAmount'>, periods: readonly Period[] = PERIODS) =>
  (eb: ExpressionBuilder<DB, 'payment_stats'>) =>
    eb.and([
      eb('user_id', '=', userId),
      eb('kind', '=', kind),
      eb.or(
        periods.map((period) =>
          eb.and([eb('period', '=', period), eb('period_start', '=', sql<Date>`${periodStart(period, at)}`)]),
        ),
      ),
    ]);

/** Returns a player's deposits in US dollars since the start of the day, week and month that contain the given time. */
export async function depositedOf(
  db: DbOrTx,
  userId: number,
  at: Date,
): Promise<Record<'DAY' | 'WEEK' | 'MONTH', Units>> {
  const { DAY = 0n, WEEK = 0n, MONTH = 0n } = await deposited(db, { userId, at }, ['DAY', 'WEEK', 'MONTH']);
  return { DAY, WEEK, MONTH };
}

/** Returns all deposits of a player in US dollars. */
export const depositedEver = async (db: DbOrTx, userId: number): Promise<Units> =>
  (await deposited(db, { userId, at: new Date() }, ['ALL'])).ALL ?? 0n;

async function deposited(
  db: DbOrTx,
  by: { userId: number; at: Date },
  periods: readonly Period[],
): Promise<Partial<Record<Period, Units>>> {
  const rows = await db
    .selectFrom('payment_stats')
    .select(['period', 'usd_amount'])
    .where(ofPayment({ ...by, kind: 'DEPOSIT' }, periods))
    .execute();
  return Object.fromEntries(rows.map(({ period, usd_amount }) => [period, BigInt(usd_amount)]));
}
