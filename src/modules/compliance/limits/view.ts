import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { noPlay, type Play, shownLimit, usedOf } from '../gate/rules.ts';
import { findRestrictions, transactionTime } from '../gate/service.ts';
import type { LimitDeps } from './limits.ts';
import { type LimitRow, limitsOf } from './queries.ts';
import type { GamblingLimits, GamblingLimitsState, TypedLimit } from './schemas.ts';

type Limit = z.input<typeof TypedLimit>;
type Facts = { at: Date; play: Play; deposited: Awaited<ReturnType<LimitDeps['depositedOf']>> };

/** Returns all limits of a user with their usage, and the lowest daily limit on stakes. */
export async function readState(
  { db, depositedOf }: Pick<LimitDeps, 'db' | 'depositedOf'>,
  userId: number,
): Promise<z.input<typeof GamblingLimitsState>> {
  // Play is recorded only after the first limit was set, so play is read after the limits.
  const rows = (await limitsOf(db, userId)).filter(({ amount }) => amount !== null);
  const facts = await readFacts(db, depositedOf, userId);
  const daily = rows
    .filter(({ type, period }) => type === 'WAGER' && period === 'DAY')
    .reduce<LimitRow | undefined>((low, row) => (low && low.amount! <= row.amount! ? low : row), undefined);
  return {
    ...(daily ? toBetLimit(daily) : { betLimit: null, id: null, createdAt: null, updatedAt: null }),
    userId,
    usage: daily ? usageOf(daily, facts) : null,
    pending: daily ? pendingOf(daily) : null,
    limits: rows.map((row) => toTypedLimit(row, facts)),
  };
}

/** Returns one limit, which may have been removed. */
export async function readTypedLimit(
  tx: Tx,
  { depositedOf }: Pick<LimitDeps, 'depositedOf'>,
  { userId, id }: { userId: number; id: number },
): Promise<Limit> {
  const row = (await limitsOf(tx, userId)).find((limit) => limit.id === id)!;
  return toTypedLimit(row, await readFacts(tx, depositedOf, userId));
}

/** A daily limit on stakes that staff set. */
export const toBetLimit = (row: LimitRow): z.input<typeof GamblingLimits> => ({
  betLimit: formatUnits(row.amount!),
  userId: row.userId,
  id: row.id,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
});

async function readFacts(db: DbOrTx, depositedOf: LimitDeps['depositedOf'], userId: number): Promise<Facts> {
  const at = await transactionTime(db);
  const play = (await findRestrictions(db, userId))?.play ?? noPlay(at);
  return { at, play, deposited: await depositedOf(db, userId, at) };
}

const toTypedLimit = (row: LimitRow, facts: Facts): Limit => ({
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

function usageOf({ type, period, amount }: LimitRow, { at, play, deposited }: Facts): Limit['usage'] {
  if (amount === null) return null;
  const used = type === 'DEPOSIT' ? deposited[period] : usedOf(type, period, play, at);
  const remaining = used < amount ? amount - used : 0n;
  return {
    used: shownLimit(type, used),
    remaining: shownLimit(type, remaining),
    periodEndsAt: iso(periodEnd(period, at)),
  };
}

function pendingOf(row: LimitRow): Limit['pending'] {
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
