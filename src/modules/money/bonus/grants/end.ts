import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { bonusErrors } from '../errors.ts';
import { close } from './close.ts';
import type { GrantDeps } from './deps.ts';
import { queueFreeRounds } from './free-rounds.ts';
import { findGrant, type GrantRow, lockGrant, lockOpenGrants } from './queries.ts';
import { decide, follow } from './settle.ts';

/** `userId`: the required owner; a grant of another player counts as not found. */
export type End = { status: 'FORFEITED' | 'CANCELLED' | 'EXPIRED'; reason: string; userId?: number };

const isOpen = ({ status }: Pick<GrantRow, 'status'>) => status === 'ACTIVE' || status === 'PENDING';

/**
 * Ends an open grant: its money goes back to promo, and the next grant starts. Locks the player. Throws 404 PROMO_GRANT_NOT_FOUND, and 409
 * PROMO_GRANT_CLOSED if it has ended, even if bets ended it only now.
 */
export async function end(
  tx: Tx,
  deps: GrantDeps,
  grantId: bigint,
  { userId, ...ending }: End,
): Promise<void> {
  const seen = await findGrant(tx, grantId);
  if (!seen || (userId !== undefined && seen.user_id !== userId)) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
  await lockPlayers(tx, [seen.user_id]);
  const locked = await lockGrant(tx, grantId);
  const grant = locked.is_due ? await decide(tx, deps, locked) : locked;
  if (!isOpen(grant)) throw bonusErrors.PROMO_GRANT_CLOSED({ status: grant.status });
  await close(tx, deps.currencies, grant, ending);
  await follow(tx, deps.currencies, grant);
}

/** Ends all open grants of a player; cash remains. A grant that bets have already ended is settled first. Locks the player. */
export async function endAll(tx: Tx, deps: GrantDeps, userId: number, reason: string): Promise<void> {
  await lockPlayers(tx, [userId]);
  // Waiting grants end first, so that none of them starts when an active one ends.
  for (const open of await lockOpenGrants(tx, userId)) {
    const grant = open.is_due ? await decide(tx, deps, open) : open;
    if (!isOpen(grant)) continue;
    await close(tx, deps.currencies, grant, { status: 'FORFEITED', reason });
    await follow(tx, deps.currencies, grant);
  }
}

/** Cancels the waiting grants of a player whose account is erased; they hold no money. The player must be locked. */
export async function cancelWaiting(tx: Tx, userId: number): Promise<void> {
  const { rows } = await sql<Pick<GrantRow, 'id' | 'kind'>>`
    update promo_grants set status = 'CANCELLED', to_start = 0, is_due = false, closed_at = now(), close_reason = 'ERASED'
    where user_id = ${userId} and status = 'PENDING' returning id, kind`.execute(tx);
  for (const { id, kind } of rows) if (kind === 'FREE_SPINS') await queueFreeRounds(tx, id);
}
