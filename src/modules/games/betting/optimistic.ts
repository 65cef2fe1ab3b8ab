import type { Statement } from '../../../platform/database/db.ts';
import type { Player } from '../../base/players/service.ts';
import { createBooks, provesAll, type RememberedBonus, undecided } from '../../money/bonus/books.ts';
import { reserveIds } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { fitting, follow, type Plan, planBatch, type Settled } from './batch.ts';
import type { Readings } from './books.ts';
import { BEGIN, COMMIT, clearAfterReconnect, type LaneState, NotCommitted } from './lane.ts';
import type { Block, GameRequest } from './request.ts';

/**
 * Settles a batch of cached players in one round trip. It sends the same statements without locking first, and they fail if a player's
 * nonce, seeds or wallet have changed. Returns undefined if the batch must be settled with locks. That is the case if it needs rows that
 * are never cached (stored responses, open rounds, the time of the last bet), if another process has changed a row, or if a request would
 * be rejected, which requires current rows.
 */
export async function settleOptimistically(
  state: LaneState,
  requests: readonly GameRequest[],
): Promise<Settled | undefined> {
  const { lane, lastSeen } = state;
  clearAfterReconnect(state);
  const readings = readingsOf(state, requests);
  if (!readings) return undefined;
  const { players } = readings;
  const fits = fitting(requests, players);
  if (fits < requests.length) return settleOptimistically(state, requests.slice(0, fits));
  let isSettled = false;
  try {
    const plan = findPlan(requests, readings);
    // If a batch uses no nonce, no statement checks whether the cached player row is current. The first statement advances the nonces.
    if (!plan || plan.refuses || plan.taken.size < players.size) return undefined;
    if (readings.bonus && !provesAll(readings.bonus)) return undefined;
    const [advance, ...writes] = plan.statements as [Statement, ...Statement[]];
    const [, , ids] = await lane.send([BEGIN, advance, reserveIds(), ...writes, COMMIT]);
    const outcomes = plan.outcomes(ids![0] as Block);
    follow(plan);
    if (readings.bonus) for (const userId of undecided(readings.bonus)) lastSeen.delete(userId);
    isSettled = true;
    return { ...plan, outcomes };
  } catch (error) {
    if (!(error instanceof NotCommitted)) throw error;
    return undefined;
  } finally {
    if (!isSettled) for (const userId of players.keys()) lastSeen.delete(userId);
  }
}

/** Returns undefined if a draft cannot be applied. The locked strategy then reports the failure. */
function findPlan(requests: readonly GameRequest[], readings: Readings): Plan | undefined {
  try {
    return planBatch(requests, readings);
  } catch {
    return undefined;
  }
}

/** Returns everything that the batch needs from the cache, or undefined if a row must be read from the database. */
function readingsOf(state: LaneState, requests: readonly GameRequest[]): Readings | undefined {
  const { lastSeen, fairness, outlook } = state;
  if (outlook(null).keepsBetTimes) return undefined;
  const players = new Map<number, Player>();
  const wallets = new Map<string, Wallet>();
  const bonuses: RememberedBonus[] = [];
  for (const { userId, repeat, store } of requests) {
    if (repeat || store) return undefined;
    if (players.has(userId)) continue;
    const last = lastSeen.get(userId);
    if (!last || !fairness.peekPair(last.player.seedPairId)) return undefined;
    players.set(userId, last.player);
    for (const wallet of last.wallets) wallets.set(`${userId}:${wallet.currencyId}`, wallet);
    if (last.bonus) bonuses.push(last.bonus);
  }
  const bonus =
    bonuses.length === 0
      ? undefined
      : createBooks(state.grants, {
          grants: bonuses.flatMap(({ grants }) => grants),
          bets: bonuses.flatMap(({ bets }) => bets),
        });
  const [stored, restrictions, states] = [new Map(), new Map(), new Map()];
  return { players, wallets, stored, restrictions, states, outlook, bonus, pairs: fairness.peekPair };
}
