import { type Selectable, sql } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { WithdrawalBlocks } from '../../../../platform/database/tables.ts';
import { getUser } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { assertNoClaims, openClaimsOf } from '../../ledger/claims.ts';
import type { WithdrawalRow } from './queries.ts';

export type BlockRow = Selectable<WithdrawalBlocks>;

/** Returns the active block on a player's withdrawals. */
export const findBlock = (db: DbOrTx, userId: number): Promise<BlockRow | undefined> =>
  db
    .selectFrom('withdrawal_blocks')
    .selectAll()
    .where('user_id', '=', userId)
    .where('lifted_at', 'is', null)
    .where((eb) => eb.or([eb('block_until', 'is', null), eb('block_until', '>', sql<Date>`now()`)]))
    .executeTakeFirst();

/** Returns a block as its player sees it. */
export const toPublicBlock = ({ reason_public, block_until }: BlockRow) => ({
  reasonPublic: reason_public,
  blockUntil: block_until && iso(block_until),
});

/** Returns true if an approved withdrawal must not be sent because the player is banned, is blocked or owes money. */
export async function isStopped(tx: Tx, { user_id }: WithdrawalRow): Promise<boolean> {
  const { banned_at } = await getUser(tx, user_id);
  if (banned_at || (await findBlock(tx, user_id))) return true;
  return (await openClaimsOf(tx, user_id)).size > 0;
}

/** Throws 403 WITHDRAWAL_BLOCKED if the player is blocked, or 409 CLAIMS_OPEN if the player owes money. */
export async function assertNotStopped(tx: Tx, { user_id }: WithdrawalRow): Promise<void> {
  const block = await findBlock(tx, user_id);
  if (block) throw gateErrors.WITHDRAWAL_BLOCKED(toPublicBlock(block));
  await assertNoClaims(tx, user_id);
}
