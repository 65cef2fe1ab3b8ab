import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { type LimitPeriod, noPlay, type Play, shownLimit, usedOf } from '../gate/rules.ts';
import { findRestrictions, transactionTime } from '../gate/service.ts';
import { type LimitRow, limitsOf } from './queries.ts';
import type { GamblingLimits, GamblingLimitsState, TypedLimit } from './schemas.ts';

export type DepositedOf = (
  db: DbOrTx,
  userId: number,
  at: Date,
) => Promise<Readonly<Record<LimitPeriod, Units>>>;

type Shown = z.input<typeof TypedLimit>;
type Facts = { at: Date; play: Play; deposited: Awaited<ReturnType<DepositedOf>> };

/** Every limit of a user with what of it is used, and their lowest limit on stakes per day. */
export async function showLimits(
  db: DbOrTx,
  userId: number,
  depositedOf: DepositedOf,
): Promise<z.input<typeof GamblingLimitsState>> {
  // What is played is kept from the first limit on: it is read after the limits.
  const rows = (await limitsOf(db, userId)).filter(({ amount }) => amount !== null);
  const facts = await factsOf(db, userId, depositedOf);
  const daily = rows
    .filter(({ type, period }) => type === 'WAGER' && period === 'DAY')
    .reduce<LimitRow | undefined>((low, row) => (low && low.amount! <= row.amount! ? low : row), undefined);
  return {
    ...(daily ? showStaffLimit(daily) : { betLimit: null, id: null, createdAt: null, updatedAt: null }),
    userId,
    usage: daily ? usageOf(daily, facts) : null,
    pending: daily ? pendingOf(daily) : null,
    limits: rows.map((row) => showLimit(row, facts)),
  };
}

/** One limit, removed or not. */
export async function showOne(
  db: DbOrTx,
  { userId, id, depositedOf }: { userId: number; id: number; depositedOf: DepositedOf },
): Promise<Shown> {
  const row = (await limitsOf(db, userId)).find((limit) => limit.id === id)!;
  return showLimit(row, await factsOf(db, userId, depositedOf));
}

/** A limit on what is staked a day, as staff sets it. */
export const showStaffLimit = (row: LimitRow): z.input<typeof GamblingLimits> => ({
  betLimit: formatUnits(row.amount!),
  userId: row.userId,
  id: row.id,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
});

async function factsOf(db: DbOrTx, userId: number, depositedOf: DepositedOf): Promise<Facts> {
  const at = await transactionTime(db);
  const play = (await findRestrictions(db, userId))?.play ?? noPlay(at);
  return { at, play, deposited: await depositedOf(db, userId, at) };
}

const showLimit = (row: LimitRow, facts: Facts): Shown => ({
  id: String(row.id),
  type: row.type,
  period: row.period,
  amount: row.amount === null ? null : shownLimit(row.type, row.amount),
  source: row.source,
  usage: usageOf(row, facts),
  pending: pendingOf(row),
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
});

function usageOf({ type, period, amount }: LimitRow, { at, play, deposited }: Facts): Shown['usage'] {
  if (amount === null) return null;
  const used = type === 'DEPOSIT' ? deposited[period] : usedOf(type, period, play, at);
  const remaining = used < amount ? amount - used : 0n;
  return {
    used: shownLimit(type, used),
    remaining: shownLimit(type, remaining),
    periodEndsAt: iso(periodEnd(period, at)),
  };
}

function pendingOf(row: LimitRow): Shown['pending'] {
  const { type, period, changeId, changeAmount } = row;
  if (changeId === null) return null;
  return {
    id: changeId,
    type,
    period,
    amount: changeAmount === null ? null : shownLimit(type, changeAmount),
    requestedAt: iso(row.requestedAt!),
    confirmableFrom: iso(row.confirmableFrom!),
    lapsesAt: iso(row.lapsesAt!),
  };
}
