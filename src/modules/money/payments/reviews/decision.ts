import { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { Id } from '../../../../http/schemas.ts';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { assertMayDecide } from '../../../base/access/connected.ts';
import { accessErrors } from '../../../base/access/errors.ts';
import { freshActor } from '../../../base/access/service.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { userErrors } from '../../../base/users/schemas.ts';
import { assertNoBot, getUser } from '../../../base/users/service.ts';
import { currencyErrors } from '../../currencies/errors.ts';
import { type DepositRow, lockDeposit, readDeposit } from '../deposits/queries.ts';
import { isUuid } from '../deposits/rules.ts';
import { paymentErrors, reviewErrors } from '../errors.ts';
import { DepositReview } from './view.ts';

/** Route fields of all staff decisions about a deposit. */
export const staffDecision = {
  method: 'POST',
  tag: 'Admin Payments',
  gate: 'staff',
  idempotent: true,
  // Reviews do not create value, because the coins belong to a player or a third party. A separate four-eyes rule applies to reviews.
  createsValue: 'returns',
  params: z.object({ id: Id }),
  response: DepositReview,
} as const;

export const decisionErrors = [
  paymentErrors.DEPOSIT_NOT_FOUND,
  commonErrors.OWN_ACCOUNT,
  accessErrors.ACCOUNT_CONNECTED,
  userErrors.USER_NOT_FOUND,
  userErrors.BOT_ACCOUNT,
  reviewErrors.DEPOSIT_NOT_REVIEWABLE,
  reviewErrors.DEPOSIT_OWNER_REQUIRED,
  reviewErrors.DEPOSIT_PROPOSAL_CHANGED,
  currencyErrors.RATE_STALE,
];

/** Throws 404 DEPOSIT_NOT_FOUND. */
export async function getDeposit(db: DbOrTx, id: string): Promise<DepositRow> {
  const row = isUuid(id) ? await readDeposit(db, id) : undefined;
  if (!row) throw paymentErrors.DEPOSIT_NOT_FOUND({ id });
  return row;
}

/** Returns the players to lock for a decision. */
export const playersOf = (row: DepositRow, target: number | null | undefined): number[] =>
  [row.user_id, target].filter((id) => typeof id === 'number');

/**
 * Locks the caller, the players and the deposit of a decision, and checks that the caller may decide about these players. Throws the errors
 * of `decisionErrors` and freshActor.
 */
export async function lockForReview(
  tx: Tx,
  by: StaffCall,
  { id, target }: { id: string; target: number | null | undefined },
): Promise<DepositRow> {
  const seen = await getDeposit(tx, id);
  const players = playersOf(seen, target);
  await lockPlayers(tx, [by.user.id, ...players]);
  const row = await lockDeposit(tx, seen.id);
  // A report has changed the owner in the meantime, and the new owner has not been locked.
  if (row.user_id !== seen.user_id) throw reviewErrors.DEPOSIT_PROPOSAL_CHANGED();
  const actor = await freshActor(tx, by);
  for (const playerId of players) {
    const player = await getUser(tx, playerId);
    assertNoBot(player);
    await assertMayDecide(tx, actor, player);
  }
  return row;
}
