import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Amount, Id, SuccessResponse } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { shownLimit } from '../gate/rules.ts';
import { transactionTime } from '../gate/service.ts';
import {
  enforceLimits,
  findLimit,
  type LimitDeps,
  notifyActive,
  parseLimit,
  readTypedLimit,
} from './limits.ts';
import { limitMessages } from './messages.ts';
import type { LimitRow } from './queries.ts';
import * as queries from './queries.ts';
import { CONFIRMABLE_AFTER_MS, directionOf, LAPSES_AFTER_MS } from './rules.ts';
import { LimitPeriodName, LimitTypeName, limitErrors, TypedLimit } from './schemas.ts';

const LimitChange = z.strictObject({
  type: LimitTypeName,
  period: LimitPeriodName,
  amount: Amount.nullable(),
});

export const changeLimit = operation({
  method: 'POST',
  path: '/user-limits/gambling-limits',
  tag: 'User Limits',
  access: 'auth',
  gate: 'none',
  summary: 'Set, change or remove a limit',
  description:
    'The amount is in US dollars, or in minutes for SESSION. Null removes the limit. A first or lower limit applies immediately ' +
    'and cancels a pending change. A higher limit or a removal must be confirmed between 24 and 168 hours after the request. If ' +
    'staff have also set a limit, the lower one applies. A limit of 0 stops all stakes or deposits.',
  body: LimitChange,
  response: TypedLimit,
  errors: [commonErrors.AMOUNT_OUT_OF_RANGE, limitErrors.LIMIT_NOT_FOUND, limitErrors.LIMIT_CHANGE_PENDING],
  handler: (deps: LimitDeps, { user: { id: userId }, body }) =>
    transaction(deps.db, async (tx) => {
      const id = await change(tx, deps, userId, body);
      return readTypedLimit(tx, deps, { userId, id });
    }),
});

/** Changes a limit and returns its id. */
async function change(
  tx: Tx,
  deps: LimitDeps,
  userId: number,
  { type, period, amount: text }: z.output<typeof LimitChange>,
): Promise<number> {
  const amount = text === null ? null : parseLimit(type, period, text);
  await lockPlayers(tx, [userId]);
  const current = await findLimit(tx, userId, { type, period, source: 'PLAYER' });
  const direction = directionOf(current?.amount ?? null, amount);
  if (direction === 'tighter') {
    const id = await queries.writeLimit(tx, { userId, type, period, source: 'PLAYER', amount });
    await queries.closeChange(tx, id, 'CANCELLED');
    await queries.insertChange(tx, { id: newId(), limitId: id, amount, by: userId }, undefined);
    await enforceLimits(tx, deps, userId);
    await notifyActive(tx, userId, { type, period, amount });
    return id;
  }
  if (!current || (current.amount === null && amount === null)) throw limitErrors.LIMIT_NOT_FOUND();
  if (direction === 'looser') await requestChange(tx, current, amount);
  return current.id;
}

/** Stores a change that the player must confirm later. */
async function requestChange(tx: Tx, row: LimitRow, amount: bigint | null): Promise<void> {
  const { id: limitId, userId, changeId, type, period } = row;
  if (changeId !== null) throw limitErrors.LIMIT_CHANGE_PENDING({ id: changeId });
  const at = (await transactionTime(tx)).getTime();
  await queries.closeChange(tx, limitId, 'LAPSED');
  const times = {
    confirmableFrom: new Date(at + CONFIRMABLE_AFTER_MS),
    lapsesAt: new Date(at + LAPSES_AFTER_MS),
  };
  await queries.insertChange(tx, { id: newId(), limitId, amount, by: userId }, times);
  await notify(tx, userId, limitMessages['limit.waiting'], {
    limit: type,
    period,
    amount: amount === null ? null : shownLimit(type, amount),
    confirmableFrom: iso(times.confirmableFrom),
    lapsesAt: iso(times.lapsesAt),
  });
}

const shared = {
  tag: 'User Limits',
  access: 'auth',
  gate: 'none',
  body: z.strictObject({ id: Id }),
} as const;

export const confirmLimitChange = operation({
  ...shared,
  method: 'POST',
  path: '/user-limits/gambling-limits/confirm',
  summary: 'Confirm a higher limit or a removal',
  response: TypedLimit,
  errors: [
    limitErrors.LIMIT_CHANGE_NOT_FOUND,
    limitErrors.LIMIT_CHANGE_TOO_EARLY,
    limitErrors.LIMIT_CHANGE_LAPSED,
  ],
  handler: (deps: LimitDeps, { user: { id: userId }, body }) =>
    transaction(deps.db, async (tx) => {
      const id = await confirm(tx, deps, userId, body.id);
      return readTypedLimit(tx, deps, { userId, id });
    }),
});

export const cancelLimitChange = operation({
  ...shared,
  method: 'DELETE',
  path: '/user-limits/gambling-limits/pending',
  summary: 'Cancel a pending limit change',
  response: SuccessResponse,
  errors: [limitErrors.LIMIT_CHANGE_NOT_FOUND],
  handler: async ({ db }: LimitDeps, { user, body }) => {
    await transaction(db, async (tx) => {
      const { limitId, outcome, lapsesAt } = await lockChange(tx, user.id, body.id);
      if (outcome !== null || lapsesAt <= (await transactionTime(tx)))
        throw limitErrors.LIMIT_CHANGE_NOT_FOUND();
      await queries.closeChange(tx, limitId, 'CANCELLED');
    });
    return { success: true };
  },
});

/** Confirms a change and returns the id of its limit. */
async function confirm(tx: Tx, deps: LimitDeps, userId: number, changeId: string): Promise<number> {
  const change = await lockChange(tx, userId, changeId);
  const { limitId, type, period, amount, outcome, confirmableFrom, lapsesAt } = change;
  const at = await transactionTime(tx);
  if (outcome === 'LAPSED' || (outcome === null && lapsesAt <= at)) throw limitErrors.LIMIT_CHANGE_LAPSED();
  if (outcome !== null) throw limitErrors.LIMIT_CHANGE_NOT_FOUND();
  if (confirmableFrom > at)
    throw limitErrors.LIMIT_CHANGE_TOO_EARLY({ confirmableFrom: iso(confirmableFrom) });
  await queries.closeChange(tx, limitId, 'CONFIRMED');
  await queries.writeLimit(tx, { userId, type, period, source: 'PLAYER', amount });
  await enforceLimits(tx, deps, userId);
  await notifyActive(tx, userId, { type, period, amount });
  return limitId;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function lockChange(tx: Tx, userId: number, id: string) {
  await lockPlayers(tx, [userId]);
  const change = UUID.test(id) ? await queries.findChange(tx, userId, id) : undefined;
  if (!change) throw limitErrors.LIMIT_CHANGE_NOT_FOUND();
  return change;
}
