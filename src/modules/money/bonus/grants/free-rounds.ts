import { sql } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { addJob } from '../../../../platform/queue/queue.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { bonusMessages } from '../messages.ts';
import { announce, notifyOfGrant } from './announce.ts';
import type { GrantDeps } from './deps.ts';
import { lockGrant, updateGrant } from './queries.ts';
import { turnoverOf } from './rules.ts';

/** The task that orders a grant's free rounds at the provider, or cancels the remaining ones after the grant has ended. */
export const FREE_ROUNDS = 'free-rounds';

type Granted = { grantId: bigint; userId: number };

/** Queues the task in the transaction that issues or ends the grant. */
export const queueFreeRounds = (tx: Tx, grantId: bigint): Promise<void> =>
  addJob(tx, FREE_ROUNDS, { grantId: String(grantId) }, { key: `${FREE_ROUNDS}:${grantId}` });

/**
 * Records that the provider accepted the order, so that the player can play. Locks the player, then the grant. Returns false if the grant
 * has ended in the meantime.
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
  await notify(tx, userId, bonusMessages['promo.free-spins'], {
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
 * Records the total cash won in free rounds. The required turnover changes by the difference from the previous total, multiplied by the
 * promotion's multiplier. The grant completes once all rounds are played. Wins that arrive after the grant has ended are recorded too.
 * Locks the player, then the grant.
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
  await notifyOfGrant(tx, after, 'promo.free-spins-played', won);
}
