import { sql } from 'kysely';
import type { Tx } from '../../../../platform/db.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { bonusErrors } from '../errors.ts';
import { close } from './close.ts';
import type { GrantDeps } from './deps.ts';
import { queueFreeRounds } from './free-rounds.ts';
import { findGrant, type GrantRow, lockGrant, lockOpenGrants } from './queries.ts';
import { decide, follow } from './settle.ts';

/** `userId`: whose it has to be; a grant of anybody else is not found. */
export type End = { status: 'FORFEITED' | 'CANCELLED' | 'EXPIRED'; reason: string; userId?: number };

const isOpen = ({ status }: Pick<GrantRow, 'status'>) => status === 'ACTIVE' || status === 'PENDING';

/**
 * Ends a grant that is open: its money goes back to promo, and the next one starts. Locks the player. Throws 404 PROMO_GRANT_NOT_FOUND,
 * 409 PROMO_GRANT_CLOSED, the latter too when bets have brought it to its end before.
 */
export async function end(
  tx: Tx,
  deps: GrantDeps,
  grantId: bigint,
  { userId, ...ending }: End,
): Promise<void> {
  const known = await findGrant(tx, grantId);
  if (!known || (userId !== undefined && known.user_id !== userId)) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
  await lockPlayers(tx, [known.user_id]);
  const locked = await lockGrant(tx, grantId);
  const grant = locked.is_due ? await decide(tx, deps, locked) : locked;
  if (!isOpen(grant)) throw bonusErrors.PROMO_GRANT_CLOSED({ status: grant.status });
  await close(tx, deps.currencies, grant, ending);
  await follow(tx, deps.currencies, grant);
}

/** Ends everything that a player has open; cash stays. Bets that brought a grant to its end before count. Locks the player. */
export async function endAll(tx: Tx, deps: GrantDeps, userId: number, reason: string): Promise<void> {
  await lockPlayers(tx, [userId]);
  // Those that wait end first: none of them starts where an active one ends.
  for (const open of await lockOpenGrants(tx, userId)) {
    const grant = open.is_due ? await decide(tx, deps, open) : open;
    if (!isOpen(grant)) continue;
    await close(tx, deps.currencies, grant, { status: 'FORFEITED', reason });
    await follow(tx, deps.currencies, grant);
  }
}

/** Ends what still waits of a player whose account is erased: it holds no money of theirs. They must be locked. */
export async function cancelWaiting(tx: Tx, userId: number): Promise<void> {
  const { rows } = await sql<Pick<GrantRow, 'id' | 'kind'>>`
    update promo_grants set status = 'CANCELLED', to_start = 0, is_due = false, closed_at = now(), close_reason = 'ERASED'
    where user_id = ${userId} and status = 'PENDING' returning id, kind`.execute(tx);
  for (const { id, kind } of rows) if (kind === 'FREE_SPINS') await queueFreeRounds(tx, id);
}
