import { type ExpressionBuilder, sql } from 'kysely';
import type { DB } from '../../../platform/database.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { PERIODS, periodStart } from '../../../platform/periods.ts';

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

/** What a player has deposited since the start of the day, week and month of a moment; dollars. */
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

/** What a player has ever deposited; dollars. */
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
