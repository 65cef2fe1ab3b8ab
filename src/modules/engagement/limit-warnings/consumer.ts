import { sql } from 'kysely';
import { z } from 'zod';
import { Amount, Moment } from '../../../http/schemas.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { DAY_SECONDS } from '../../../platform/jobs/purge.ts';
import type { Units } from '../../../platform/money.ts';
import { event, events } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import type { LimitPeriod } from '../../compliance/gate/rules.ts';
import { findRestrictions, readRestrictions, transactionTime } from '../../compliance/gate/service.ts';
import { type Consumer, createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import { effectsIn, type Slice } from '../../games/bets/effects.ts';
import { depositWarnings, eventData, playWarnings, type Warning } from './rules.ts';

export const limitWarningEvents = events({
  'limit.warning': event(
    'user',
    '80 % of a limit is used. Sent once per limit and period.',
    z.strictObject({
      type: z.enum(['DEPOSIT', 'WAGER', 'LOSS', 'SESSION']),
      period: z.enum(['DAY', 'WEEK', 'MONTH']),
      limit: Amount.meta({ description: 'In US dollars, or in minutes for SESSION.' }),
      used: Amount,
      periodEndsAt: Moment,
    }),
  ),
});

const CONSUMER: Consumer = { name: 'limit-warnings', apply };

/** Warnings are deleted once their period is over. The longest period is a month. */
export const EXPIRY = { table: 'limit_warnings', after: 'warned_at', keepSeconds: 40 * DAY_SECONDS };

/** The maximum number of warnings per statement, and of events per call to `emitEvent`. */
const PER_STATEMENT = 1000;

export type LimitWarnings = ReturnType<typeof createLimitWarnings>;

/** Warns players once per period when 80 % of a limit is used (`limit.warning`). */
export const createLimitWarnings = ({ db, onConsumed }: { db: Db; onConsumed: OnConsumed }) =>
  createConsumer(db, CONSUMER, onConsumed);

/** Reads current usage without locking the players, because the limits are checked again at the next bet. */
async function apply(tx: Tx, slice: Slice): Promise<void> {
  // A warning that was sent cannot be reversed.
  if (slice.isReversal) return;
  const { rows } = await sql<{ userId: number }>`
    select r.user_id as "userId" from restrictions r
    where coalesce(r.limits -> 'WAGER', r.limits -> 'LOSS', r.limits -> 'SESSION') is not null
      and r.user_id in (select user_id from ${effectsIn(slice)} effects)`.execute(tx);
  if (rows.length === 0) return;
  const at = await transactionTime(tx);
  const restrictions = await readRestrictions(
    tx,
    rows.map(({ userId }) => userId),
  );
  const warnings = [...restrictions.values()].flatMap((player) => playWarnings(player, at));
  await warn(tx, warnings);
}

/** Warns a player about deposit limits, in the transaction of the deposit. `depositedOf` returns the deposits of the current periods. */
export async function warnOfDeposits(
  tx: Tx,
  userId: number,
  depositedOf: (at: Date) => Promise<Readonly<Record<LimitPeriod, Units>>>,
): Promise<void> {
  const restrictions = await findRestrictions(tx, userId);
  if (!restrictions?.limits.DEPOSIT) return;
  const at = await transactionTime(tx);
  await warn(tx, depositWarnings(restrictions, await depositedOf(at), at));
}

async function warn(tx: Tx, warnings: readonly Warning[]): Promise<void> {
  for (let i = 0; i < warnings.length; i += PER_STATEMENT) {
    const fresh = await store(tx, warnings.slice(i, i + PER_STATEMENT));
    await emitEvent(
      tx,
      ...fresh.map((w) => ({
        event: limitWarningEvents['limit.warning'],
        userId: w.userId,
        data: eventData(w),
      })),
    );
  }
}

/** Stores warnings and returns those that were not stored before. */
async function store(tx: Tx, warnings: readonly Warning[]): Promise<Warning[]> {
  const rows = await tx
    .insertInto('limit_warnings')
    .values(
      warnings.map(({ userId, type, period, periodStart, amount }) => ({
        user_id: userId,
        type,
        period,
        period_start: periodStart,
        amount,
      })),
    )
    .onConflict((oc) => oc.doNothing())
    .returning(['user_id', 'type', 'period'])
    .execute();
  const isFresh = new Set(rows.map((row) => `${row.user_id} ${row.type} ${row.period}`));
  return warnings.filter(({ userId, type, period }) => isFresh.has(`${userId} ${type} ${period}`));
}
