import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { notify } from '../../base/notifications/notify.ts';
import { type LimitPeriod, type LimitType, noPlay, type Play, shownLimit, usedOf } from '../gate/rules.ts';
import { findRestrictions, getRestrictions, restrict, transactionTime } from '../gate/service.ts';
import { limitMessages } from './messages.ts';
import * as queries from './queries.ts';
import { type LimitRow, limitsOf } from './queries.ts';
import { boundsOf, limitsPlay, lowest, readLimit } from './rules.ts';
import type { GamblingLimits, GamblingLimitsState, TypedLimit } from './schemas.ts';

export type LimitDeps = {
  db: Db;
  /** Returns a player's play in the periods that contain the given time. The player must be locked. */
  playSince: (tx: Tx, userId: number, at: Date) => Promise<Play>;
  /** Returns a player's deposits in the periods that contain the given time, in US dollars. */
  depositedOf: (db: DbOrTx, userId: number, at: Date) => Promise<Readonly<Record<LimitPeriod, Units>>>;
  /**
   * Ends all grants of an excluded player, because the player cannot wager them. The cash balance is not changed. The player must be
   * locked.
   */
  endGrants: (tx: Tx, userId: number) => Promise<void>;
};

/** Returns the stored amount of a limit. Throws 400 AMOUNT_OUT_OF_RANGE. */
export function parseLimit(type: LimitType, period: LimitPeriod, text: string): bigint {
  const amount = readLimit(type, period, text);
  if (amount === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE(boundsOf(type, period));
  return amount;
}

type Name = Pick<LimitRow, 'type' | 'period' | 'source'>;

export const findLimit = async (tx: Tx, userId: number, { type, period, source }: Name) =>
  (await queries.limitsOf(tx, userId)).find(
    (row) => row.type === type && row.period === period && row.source === source,
  );

/**
 * Stores the lowest limits in the gate's restrictions. When the first limit on play is set, also stores the player's play in the current
 * periods. The player must be locked.
 */
export async function enforceLimits(
  tx: Tx,
  { playSince }: Pick<LimitDeps, 'playSince'>,
  userId: number,
): Promise<void> {
  const limits = lowest(await queries.limitsOf(tx, userId));
  const restrictions = await getRestrictions(tx, userId);
  const play =
    restrictions.play ?? (limitsPlay(limits) ? await playSince(tx, userId, await transactionTime(tx)) : null);
  await restrict(tx, { ...restrictions, limits, play });
}

/** Notifies a player that a limit applies from now on, or that it was removed. */
export async function notifyActive(
  tx: Tx,
  userId: number,
  { type, period, amount }: Pick<LimitRow, 'type' | 'period' | 'amount'>,
): Promise<void> {
  const name = { limit: type, period };
  if (amount === null) await notify(tx, userId, limitMessages['limit.removed'], name);
  else await notify(tx, userId, limitMessages['limit.active'], { ...name, amount: shownLimit(type, amount) });
}

/** Removes all limits of a player immediately. Used only for tests. The player must be locked. */
export async function clearLimits(tx: Tx, userId: number): Promise<void> {
  await queries.removeLimits(tx, userId);
  const restrictions = await getRestrictions(tx, userId);
  if (Object.keys(restrictions.limits).length > 0) await restrict(tx, { ...restrictions, limits: {} });
}

type Limit = z.input<typeof TypedLimit>;
type Facts = { at: Date; play: Play; deposited: Awaited<ReturnType<LimitDeps['depositedOf']>> };

/** Returns all limits of a user with their usage, and the lowest daily limit on stakes. */
export async function readState(
  { db, depositedOf }: Pick<LimitDeps, 'db' | 'depositedOf'>,
  userId: number,
): Promise<z.input<typeof GamblingLimitsState>> {
  // Play is recorded only once a limit has been set, so it is read after the limits.
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

/** Returns a limit, which may have been removed. */
export async function readTypedLimit(
  tx: Tx,
  { depositedOf }: Pick<LimitDeps, 'depositedOf'>,
  { userId, id }: { userId: number; id: number },
): Promise<Limit> {
  const row = (await limitsOf(tx, userId)).find((limit) => limit.id === id)!;
  return toTypedLimit(row, await readFacts(tx, depositedOf, userId));
}

/** A daily limit on stakes that staff have set. */
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
