import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { formatUnits } from '../../../platform/money.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { type LimitPeriod, type LimitType, type Play, shownLimit } from '../gate/rules.ts';
import { getRestrictions, restrict, transactionTime } from '../gate/service.ts';
import { limitErrors } from './errors.ts';
import type { LimitRow } from './queries.ts';
import * as queries from './queries.ts';
import {
  boundsOf,
  CONFIRMABLE_AFTER_MS,
  directionOf,
  LAPSES_AFTER_MS,
  limitsPlay,
  lowest,
  readLimit,
} from './rules.ts';
import type { LimitChange, StaffLimit } from './schemas.ts';
import { showStaffLimit } from './show.ts';

/** What a player has played in the periods current at a moment. The player must be locked. */
export type PlaySince = (tx: Tx, userId: number, at: Date) => Promise<Play>;

type Change = { userId: number; playSince: PlaySince };

/**
 * Sets a player's own limit: a first or lower one applies immediately and cancels a waiting change; a higher one or none waits for its
 * confirmation. Answers its id. The player is locked here. Throws 400 AMOUNT_OUT_OF_RANGE, 404 LIMIT_NOT_FOUND when there is none
 * to remove, 409 LIMIT_CHANGE_PENDING.
 */
export async function changeLimit(
  tx: Tx,
  { userId, playSince }: Change,
  { type, period, amount: text }: z.output<typeof LimitChange>,
): Promise<number> {
  const amount = text === null ? null : limitFrom(type, period, text);
  await lockPlayers(tx, [userId]);
  const present = await findLimit(tx, userId, { type, period, source: 'PLAYER' });
  const direction = directionOf(present?.amount ?? null, amount);
  if (direction === 'tighter') {
    const id = await queries.writeLimit(tx, { userId, type, period, source: 'PLAYER', amount });
    await queries.closeChange(tx, id, 'CANCELLED');
    await queries.insertChange(tx, { id: newId(), limitId: id, amount, by: userId }, undefined);
    await enforce(tx, { userId, playSince });
    await notifyInForce(tx, userId, { type, period, amount });
    return id;
  }
  if (!present || (present.amount === null && amount === null)) throw limitErrors.LIMIT_NOT_FOUND();
  if (direction === 'looser') await wait(tx, present, amount);
  return present.id;
}

async function wait(tx: Tx, row: LimitRow, amount: bigint | null) {
  const { id: limitId, userId, changeId, type, period } = row;
  if (changeId !== null) throw limitErrors.LIMIT_CHANGE_PENDING({ id: changeId });
  const at = (await transactionTime(tx)).getTime();
  await queries.closeChange(tx, limitId, 'LAPSED');
  const change = { id: newId(), limitId, amount, by: userId };
  const times = {
    confirmableFrom: new Date(at + CONFIRMABLE_AFTER_MS),
    lapsesAt: new Date(at + LAPSES_AFTER_MS),
  };
  await queries.insertChange(tx, change, times);
  await notify(tx, userId, 'limit.waiting', {
    limit: type,
    period,
    amount: amount === null ? null : shownLimit(type, amount),
    confirmableFrom: iso(times.confirmableFrom),
    lapsesAt: iso(times.lapsesAt),
  });
}

/** Notifies a player of a limit that applies from now on, or that applies no longer. */
async function notifyInForce(
  tx: Tx,
  userId: number,
  { type, period, amount }: Pick<LimitRow, 'type' | 'period' | 'amount'>,
): Promise<void> {
  const about = { limit: type, period };
  if (amount === null) await notify(tx, userId, 'limit.removed', about);
  else await notify(tx, userId, 'limit.active', { ...about, amount: shownLimit(type, amount) });
}

/**
 * Confirms a change that the player requested a day ago. Answers the limit's id. Throws 404 LIMIT_CHANGE_NOT_FOUND, 409
 * LIMIT_CHANGE_TOO_EARLY and LIMIT_CHANGE_LAPSED.
 */
export async function confirmChange(
  tx: Tx,
  { userId, playSince }: Change,
  changeId: string,
): Promise<number> {
  const change = await lockChange(tx, userId, changeId);
  const { limitId, type, period, amount, outcome, confirmableFrom, lapsesAt } = change;
  const at = await transactionTime(tx);
  if (outcome === 'LAPSED' || (outcome === null && lapsesAt <= at)) throw limitErrors.LIMIT_CHANGE_LAPSED();
  if (outcome !== null) throw limitErrors.LIMIT_CHANGE_NOT_FOUND();
  if (confirmableFrom > at)
    throw limitErrors.LIMIT_CHANGE_TOO_EARLY({ confirmableFrom: iso(confirmableFrom) });
  await queries.closeChange(tx, limitId, 'CONFIRMED');
  await queries.writeLimit(tx, { userId, type, period, source: 'PLAYER', amount });
  await enforce(tx, { userId, playSince });
  await notifyInForce(tx, userId, { type, period, amount });
  return limitId;
}

/** Cancels a change that the player requested. Throws 404 LIMIT_CHANGE_NOT_FOUND. */
export async function cancelChange(tx: Tx, userId: number, changeId: string): Promise<void> {
  const { limitId, outcome, lapsesAt } = await lockChange(tx, userId, changeId);
  if (outcome !== null || lapsesAt <= (await transactionTime(tx))) throw limitErrors.LIMIT_CHANGE_NOT_FOUND();
  await queries.closeChange(tx, limitId, 'CANCELLED');
}

/**
 * Staff limits what a user may stake a day, never to more than before. Throws 400 AMOUNT_OUT_OF_RANGE, 409
 * STAFF_LIMIT_ONLY_TIGHTENS, 404 USER_NOT_FOUND, 403 OWN_ACCOUNT and ACCOUNT_CONNECTED, and as freshActor does.
 */
export const setBetLimit = (
  db: Db,
  { by, playSince }: { by: StaffCall; playSince: PlaySince },
  { userId, betLimit: text }: z.output<typeof StaffLimit>,
) =>
  transaction(db, async (tx) => {
    await lockForDecision(tx, by, userId);
    const limit = { userId, type: 'WAGER', period: 'DAY', source: 'STAFF' } as const;
    const amount = limitFrom(limit.type, limit.period, text);
    const present = await findLimit(tx, userId, limit);
    const before = present?.amount == null ? null : formatUnits(present.amount);
    const direction = directionOf(present?.amount ?? null, amount);
    if (direction === 'looser') throw limitErrors.STAFF_LIMIT_ONLY_TIGHTENS({ betLimit: before });
    if (direction === 'tighter') {
      const id = await queries.writeLimit(tx, { ...limit, amount });
      await queries.insertChange(tx, { id: newId(), limitId: id, amount, by: by.user.id }, undefined);
      await enforce(tx, { userId, playSince });
      await notifyInForce(tx, userId, { ...limit, amount });
    }
    const row = await findLimit(tx, userId, limit);
    await recordAudit(tx, by, { before: { betLimit: before }, after: { betLimit: formatUnits(amount) } });
    return showStaffLimit(row!);
  });

/** Removes every limit of a player immediately; for tests. The player must be locked. */
export async function clearLimits(tx: Tx, userId: number): Promise<void> {
  await queries.removeLimits(tx, userId);
  const known = await getRestrictions(tx, userId);
  if (Object.keys(known.limits).length > 0) await restrict(tx, { ...known, limits: {} });
}

/** Gives the gate the limits that apply; from the first one on play, what has been played since the running periods began as well. */
async function enforce(tx: Tx, { userId, playSince }: Change): Promise<void> {
  const limits = lowest(await queries.limitsOf(tx, userId));
  const known = await getRestrictions(tx, userId);
  const play =
    known.play ?? (limitsPlay(limits) ? await playSince(tx, userId, await transactionTime(tx)) : null);
  await restrict(tx, { ...known, limits, play });
}

function limitFrom(type: LimitType, period: LimitPeriod, text: string): bigint {
  const amount = readLimit(type, period, text);
  if (amount === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE(boundsOf(type, period));
  return amount;
}

type Name = Pick<LimitRow, 'type' | 'period' | 'source'>;

const findLimit = async (tx: Tx, userId: number, { type, period, source }: Name) =>
  (await queries.limitsOf(tx, userId)).find(
    (row) => row.type === type && row.period === period && row.source === source,
  );

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function lockChange(tx: Tx, userId: number, id: string) {
  await lockPlayers(tx, [userId]);
  const change = UUID.test(id) ? await queries.findChange(tx, userId, id) : undefined;
  if (!change) throw limitErrors.LIMIT_CHANGE_NOT_FOUND();
  return change;
}
