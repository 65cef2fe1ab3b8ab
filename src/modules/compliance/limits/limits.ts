import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Units } from '../../../platform/money.ts';
import { notify } from '../../base/notifications/notify.ts';
import { type LimitPeriod, type LimitType, type Play, shownLimit } from '../gate/rules.ts';
import { getRestrictions, restrict, transactionTime } from '../gate/service.ts';
import { limitMessages } from './messages.ts';
import type { LimitRow } from './queries.ts';
import * as queries from './queries.ts';
import { boundsOf, limitsPlay, lowest, readLimit } from './rules.ts';

export type LimitDeps = {
  db: Db;
  /** Returns a player's play in the periods that contain the given time. The player must be locked. */
  playSince: (tx: Tx, userId: number, at: Date) => Promise<Play>;
  /** Returns a player's deposits in the periods that contain the given time, in US dollars. */
  depositedOf: (db: DbOrTx, userId: number, at: Date) => Promise<Readonly<Record<LimitPeriod, Units>>>;
  /** Ends all grants of an excluded player, because the player cannot wager them. Cash remains. The player must be locked. */
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
 * Writes the lowest limits to the gate's restrictions. With the first limit on play, also writes the player's play in the current periods.
 * The player must be locked.
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
