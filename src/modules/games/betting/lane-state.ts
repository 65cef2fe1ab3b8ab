import { LRUCache } from 'lru-cache';
import type { Log } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import type { Player } from '../../base/players/service.ts';
import type { Outlook } from '../../compliance/gate/service.ts';
import type { BonusBooks, RememberedBonus } from '../../money/bonus/books.ts';
import type { BetGrant } from '../../money/bonus/rules.ts';
import { IDS_PER_BLOCK } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import type { Fairness } from '../fairness/service.ts';
import { idsOf, type Outcome, type Plan, type Readings } from './batch.ts';
import { type Lane, NotCommitted } from './lane.ts';
import type { GameRequest, Store } from './request.ts';

export type SettlerOptions = {
  fairness: Pick<Fairness, 'peekPair' | 'rememberPairs' | 'forgetPairs'>;
  outlook: Outlook;
  grants: BetGrants;
  log: Log;
  metrics: Metrics;
};

/** The functions of other modules that bets with bonus money need. */
export type BetGrants = {
  /** Returns the facts about a game that the terms of grants depend on. */
  factsOf: BonusBooks['factsOf'];
  lowRisk: BonusBooks['lowRisk'];
  /** Settles grants that may have ended, in transactions of their own. Never fails: an unsettled grant is settled later. */
  settle: (grantIds: readonly bigint[]) => Promise<void>;
  /** Reports the progress of changed grants to their players. */
  noteProgress: (grants: readonly BetGrant[]) => void;
};

/** A player's row and wallets as their last batch on this lane left them. */
type LastSeen = {
  player: Player;
  wallets: readonly Wallet[];
  bonus: RememberedBonus | undefined;
};

/** A lane with everything that it caches between batches. */
export type LaneState = SettlerOptions & {
  lane: Lane;
  /** The connection over which all cached rows were read; undefined if nothing is cached. */
  seenIn: object | undefined;
  /** Allows a batch in one round trip. The players of a failed batch are removed. */
  lastSeen: LRUCache<number, LastSeen>;
  /** The caches of stores. */
  caches: Map<Store, unknown>;
  /** The time until which no store's cache is used: a batch on cached rows failed a moment ago, so another one may fail too. */
  cacheDisabledUntil: number;
  /** Counters by game. Looking a label up hashes it, so each game is looked up once instead of once per bet. */
  settledBets: Map<string, { inc(): void }>;
};

const CACHE_SIZE = 20_000;

export const createLaneState = (
  options: SettlerOptions,
  lane: Lane,
  { usesCache }: { usesCache: boolean },
): LaneState => ({
  ...options,
  lane,
  seenIn: undefined,
  lastSeen: new LRUCache({ max: CACHE_SIZE }),
  caches: new Map(),
  cacheDisabledUntil: usesCache ? 0 : Number.POSITIVE_INFINITY,
  settledBets: new Map(),
});

/**
 * Clears the cache after a reconnect. A server restored to an earlier state assigns ids and versions again that are cached here, and its
 * connections have broken.
 */
export function dropOtherSessions(state: LaneState): void {
  if (state.lane.session() !== state.seenIn) clear(state);
}

/** Remembers the connection over which the last batch was settled. Clears the cache if it is closed. */
export function rememberSession(state: LaneState): void {
  const session = state.lane.session();
  if (session === undefined) clear(state);
  else state.seenIn = session;
}

function clear(state: LaneState): void {
  state.lastSeen.clear();
  state.caches.clear();
  // Seed pairs are shared by all lanes: a lane that has cached nothing must not clear them.
  if (state.seenIn !== undefined) state.fairness.forgetPairs();
  state.seenIn = undefined;
}

export function cacheOf({ caches }: LaneState, store: Store): unknown {
  const cache = caches.get(store) ?? store.cache?.create();
  caches.set(store, cache);
  return cache;
}

/** The outcomes of the first requests of a batch. */
export type Settled = Pick<Plan, 'movedGrants' | 'dueGrants'> & { outcomes: readonly Outcome[] };

/** Returns how many of the requests fit into one block of ids. */
export function fitting(requests: readonly GameRequest[], players: Readings['players']): number {
  let ids = 0;
  const end = requests.findIndex((request, i) => {
    ids += idsOf(request, players.get(request.userId));
    return i > 0 && ids > IDS_PER_BLOCK;
  });
  return end < 0 ? requests.length : end;
}

/** Updates the rows that were read to the written state: the plan has changed the wallets, but neither versions nor nonces. */
export function follow({ wallets, taken }: Plan): void {
  for (const wallet of wallets) wallet.version++;
  for (const [player, nonces] of taken) player.nonce += nonces;
}

export function requestsByStore(requests: readonly GameRequest[]): [Store, GameRequest[]][] {
  const byStore = new Map<Store, GameRequest[]>();
  for (const request of requests) {
    if (!request.store) continue;
    const own = byStore.get(request.store);
    if (own) own.push(request);
    else byStore.set(request.store, [request]);
  }
  return [...byStore];
}

/** Runs work before the first write. A failure means that the transaction can be rolled back, not that its outcome is unknown. */
export async function beforeWriting<T>(decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    throw error instanceof NotCommitted ? error : new NotCommitted('not decided', { cause: error });
  }
}
