import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Id, SuccessResponse } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { transactionTime } from '../gate/service.ts';
import type { LimitDeps } from './deps.ts';
import { limitErrors } from './errors.ts';
import { enforceLimits, notifyActive } from './limits.ts';
import * as queries from './queries.ts';
import { TypedLimit } from './schemas.ts';
import { readTypedLimit } from './view.ts';

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

/** Returns the id of the limit. */
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
