import { sql } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { addJob } from '../../../../platform/queue.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { announce, tell } from './announce.ts';
import type { GrantDeps } from './deps.ts';
import { lockGrant, updateGrant } from './queries.ts';
import { turnoverOf } from './rules.ts';

/** The job that has a provider give the free rounds of a grant, or take back what is left of them once the grant has ended. */
export const FREE_ROUNDS = 'free-rounds';

type Granted = { grantId: bigint; userId: number };

/** Queues it in the transaction that issues or ends the grant. */
export const queueFreeRounds = (tx: Tx, grantId: bigint): Promise<void> =>
  addJob(tx, FREE_ROUNDS, { grantId: String(grantId) }, { key: `${FREE_ROUNDS}:${grantId}` });

/**
 * The provider has taken the order: the player can play from now on. Locks the player, then the grant. Answers whether it is still wanted:
 * the grant may have ended meanwhile.
 */
export async function beginFreeRounds(
  tx: Tx,
  { grantId, userId, spins, game }: Granted & { spins: number; game: string },
): Promise<boolean> {
  await lockPlayers(tx, [userId]);
  const grant = await lockGrant(tx, grantId);
  if (grant.status !== 'PENDING' || grant.activated_at !== null) return grant.status === 'PENDING';
  const begun = await updateGrant(tx, grant, {
    activated_at: sql<Date>`now()`,
    expires_at: grant.waits_until,
  });
  await announce(tx, begun);
  const until = iso(grant.waits_until!);
  await notify(tx, userId, 'promo.free-spins', {
    grantId: String(grantId),
    name: grant.name,
    spins,
    game,
    until,
  });
  return true;
}

export type FreeWins = Granted & { won: Units; isOver: boolean };

/**
 * What free rounds have won so far, in cash; the difference to what was known has to be wagered as often as the promotion says, or not any
 * more. Once all of them were played the grant is done. Late wins of one that has ended count all the same. Locks the player, then the grant.
 */
export async function recordFreeWins(
  tx: Tx,
  { currencies, rollover }: Pick<GrantDeps, 'currencies' | 'rollover'>,
  { grantId, userId, won, isOver }: FreeWins,
): Promise<void> {
  await lockPlayers(tx, [userId]);
  const grant = await lockGrant(tx, grantId);
  const change = won - grant.converted;
  const isDone = isOver && grant.status === 'PENDING';
  if (change === 0n && !isDone) return;
  const usdOf = (amount: Units) =>
    turnoverOf(currencies.toUsd(grant.currency_id, amount), grant.wager_multiplier_e2);
  if (change > 0n) await rollover.add(tx, { userId, usdAmount: usdOf(change) });
  if (change < 0n) await rollover.remove(tx, { userId, usdAmount: usdOf(-change) });
  const after = await updateGrant(tx, grant, {
    converted: won,
    ...(isDone && { status: 'COMPLETED', closed_at: sql<Date>`now()`, close_reason: 'PLAYED' }),
  });
  if (!isDone) return;
  await announce(tx, after);
  await tell(tx, after, 'promo.free-spins-played', won);
}
