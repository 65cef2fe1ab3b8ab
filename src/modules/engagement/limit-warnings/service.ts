import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { emitEvent } from '../../base/events/service.ts';
import type { LimitPeriod } from '../../compliance/gate/rules.ts';
import { findRestrictions, readRestrictions, transactionTime } from '../../compliance/gate/service.ts';
import { type Consumer, createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import { effectsIn, type Slice } from '../../games/bets/effects.ts';
import { depositWarnings, eventData, playWarnings, type Warning } from './rules.ts';

/** Tells players once in a period that four fifths of a limit are used (`limit.warning`). */
const CONSUMER: Consumer = { name: 'limit-warnings', apply };

/** Events that one call of `emitEvent` takes, and warnings that one statement stores. */
const PER_STATEMENT = 1000;

export function createLimitWarnings({ db, onConsumed }: { db: Db; onConsumed: OnConsumed }) {
  return {
    ...createConsumer(db, CONSUMER, onConsumed),

    /** Forgets warnings of periods that are over: the longest is a month. */
    async purge(): Promise<void> {
      await sql`delete from limit_warnings where warned_at < now() - interval '40 days'`.execute(db);
    },
  };
}

/** Reads usage as it is now, without locking the players: the next bet is checked again. */
async function apply(tx: Tx, slice: Slice): Promise<void> {
  // A warning that was sent stays sent.
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

/** The same of limits on deposits, in the transaction of one; `deposited` is what was paid in in the running periods. */
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
      ...fresh.map((w) => ({ event: 'limit.warning' as const, userId: w.userId, data: eventData(w) })),
    );
  }
}

/** Stores warnings; answers those that were not sent before. */
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
