import { findStatement, type StoredAnswer } from '../../base/idempotency/service.ts';
import { lockStatement, type Player } from '../../base/players/service.ts';
import {
  type RestrictionsRow,
  restrictionsStatement,
  toRestrictions,
} from '../../compliance/gate/queries.ts';
import { type BonusBooks, createBooks, rememberedOf } from '../../money/bonus/books.ts';
import { readBetGrants, readBonusBets } from '../../money/bonus/queries.ts';
import type { BetGrant, BonusBet } from '../../money/bonus/rules.ts';
import { readWalletsStatement, reserveIds } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { pairsStatement, type StoredPair } from '../fairness/service.ts';
import { fitting, follow, planBatch, type Settled } from './batch.ts';
import type { Readings } from './books.ts';
import {
  BEGIN,
  COMMIT,
  cacheOf,
  clearAfterReconnect,
  type Lane,
  type LaneState,
  NotCommitted,
  ROLLBACK,
} from './lane.ts';
import type { Block, GameRequest, Store } from './request.ts';

const NO_CACHES: ReadonlyMap<Store, unknown> = new Map();

/** How long no cached rows of stores are used after a batch with cached rows has failed. */
const DISABLED_MS = 250;

/** Settles in at least two round trips: the first locks and reads, the last writes and commits. Does not read rows that are in `caches`. */
export async function settleLocked(
  state: LaneState,
  requests: readonly GameRequest[],
  caches: ReadonlyMap<Store, unknown> = NO_CACHES,
): Promise<Settled> {
  // The connection may have broken during an earlier attempt at this batch.
  clearAfterReconnect(state);
  const { lane, lastSeen } = state;
  const { readings, block, plan, first } = await beforeWriting(async () => {
    const { readings, block } = await read(state, requests, caches);
    const first = requests.slice(0, fitting(requests, readings.players));
    return { readings, block, first, plan: planBatch(first, readings, block) };
  });
  for (const userId of readings.players.keys()) lastSeen.delete(userId);
  if (plan.statements.length > 0) await lane.send([...plan.statements, COMMIT]);
  else await lane.send([ROLLBACK]).catch(() => undefined);
  const outcomes = plan.outcomes(block);
  follow(plan);
  for (const [store, own] of requestsByStore(first))
    store.cache?.update(cacheOf(state, store), readings.states.get(store), own);
  const wallets = Map.groupBy(readings.wallets.values(), ({ userId }) => userId);
  const bonusOf = readings.bonus && rememberedOf(readings.bonus);
  for (const [userId, player] of readings.players) {
    const bonus = bonusOf?.get(userId);
    if (!player.isRestricted && (bonus || !player.hasGrant))
      lastSeen.set(userId, { player, wallets: wallets.get(userId) ?? [], bonus });
  }
  return { ...plan, outcomes };
}

/**
 * Settles under the same locks as `settleLocked`, but does not read rows that stores have cached. The writes fail if the cached rows are
 * outdated. Returns undefined if nothing was committed, for example because the cache is outdated or a transaction is a repetition. The
 * batch must then be settled with rows read from the database. No request is rejected because of cached rows: it stays open instead.
 */
export async function settleCached(
  state: LaneState,
  requests: readonly GameRequest[],
): Promise<Settled | undefined> {
  if (performance.now() < state.cacheDisabledUntil) return undefined;
  clearAfterReconnect(state);
  const stores = requestsByStore(requests).filter(([store]) => store.cache);
  if (stores.length === 0) return undefined;
  const caches = new Map(stores.map(([store]) => [store, cacheOf(state, store)]));
  try {
    return await settleLocked(state, requests, caches);
  } catch (error) {
    for (const [store, own] of stores) store.cache!.evict(caches.get(store), own);
    if (!(error instanceof NotCommitted)) throw error;
    await state.lane.send([ROLLBACK]).catch(() => undefined);
    state.cacheDisabledUntil = performance.now() + DISABLED_MS;
    return undefined;
  }
}

/** Locks the players and reads the rows that the requests need. */
async function read(state: LaneState, requests: readonly GameRequest[], caches: ReadonlyMap<Store, unknown>) {
  const { lane, fairness, outlook } = state;
  const users = [...new Set(requests.map(({ userId }) => userId))];
  const stores = requestsByStore(requests).map(([store, own]) => {
    const cache = caches.get(store);
    return { store, cache, statements: store.read(own, cache) };
  });
  const keys = requests.flatMap(({ userId, repeat }) => (repeat ? [{ userId, key: repeat.key }] : []));
  const [, players, wallets, ids, ...more] = (await lane.send([
    BEGIN,
    lockStatement(users),
    readWalletsStatement(users),
    reserveIds(),
    ...stores.flatMap(({ statements }) => statements),
    ...(keys.length > 0 ? [findStatement(keys)] : []),
  ])) as [unknown, Player[], Wallet[], [Block], ...Record<string, unknown>[][]];
  const states = stores.map(
    ({ store, cache, statements }) =>
      [store, store.stateOf(more.splice(0, statements.length), cache, statements)] as const,
  );
  const [stored = []] = more as StoredAnswer[][];
  const pairs = await readPairs(state, players);
  const readings: Readings = {
    outlook,
    players: new Map(players.map((p) => [p.userId, p])),
    wallets: new Map(wallets.map((w) => [`${w.userId}:${w.currencyId}`, w])),
    states: new Map(states),
    cached: new Set(caches.keys()),
    stored: new Map(stored.map((s) => [`${s.userId}:${s.key}`, s])),
    restrictions: await readRestrictions(lane, players),
    bonus: await readBonus(state, players, bonusBetsOf(states)),
    pairs: (id) => pairs.get(id) ?? fairness.peekPair(id),
  };
  return { readings, block: ids[0] };
}

/** Returns the players' seed pairs, from the cache or the database. Clearing the cache during the batch does not affect the result. */
async function readPairs({ lane, fairness }: LaneState, players: readonly Player[]) {
  const ids = players.map((p) => p.seedPairId);
  const pairs = new Map(ids.map((id) => [id, fairness.peekPair(id)]));
  const missing = ids.filter((id) => !pairs.get(id));
  if (missing.length === 0) return pairs;
  const [rows] = await lane.send([pairsStatement(missing)]);
  fairness.rememberPairs(rows as StoredPair[]);
  for (const id of missing) pairs.set(id, fairness.peekPair(id));
  return pairs;
}

/** Reads the restrictions of the restricted players. */
export async function readRestrictions(
  lane: Lane,
  players: readonly Player[],
): Promise<Readings['restrictions']> {
  const restricted = players.flatMap((p) => (p.isRestricted ? [p.userId] : []));
  const [rows = []] = restricted.length > 0 ? await lane.send([restrictionsStatement(restricted)]) : [];
  return new Map((rows as RestrictionsRow[]).map((row) => [row.userId, toRestrictions(row)]));
}

/** Returns the ids of the ended bets whose bonus part the requests may need, for example for a correction. */
const bonusBetsOf = (states: readonly (readonly [Store, unknown])[]): bigint[] =>
  states.flatMap(([store, state]) => store.bonusBets?.(state) ?? []);

/** Reads the players' grants, their open bets with bonus money, and the given ended bets. */
export async function readBonus(
  { lane, grants: terms }: Pick<LaneState, 'lane' | 'grants'>,
  players: readonly Player[],
  betIds: readonly bigint[] = [],
): Promise<BonusBooks | undefined> {
  const granted = players.flatMap((p) => (p.hasGrant ? [p.userId] : []));
  if (granted.length + betIds.length === 0) return undefined;
  const [grants, bets] = await lane.send([readBetGrants(granted, betIds), readBonusBets(granted, betIds)]);
  return createBooks(terms, { grants: grants as BetGrant[], bets: bets as BonusBet[] });
}

function requestsByStore(requests: readonly GameRequest[]): [Store, GameRequest[]][] {
  const byStore = new Map<Store, GameRequest[]>();
  for (const request of requests) {
    if (!request.store) continue;
    const own = byStore.get(request.store);
    if (own) own.push(request);
    else byStore.set(request.store, [request]);
  }
  return [...byStore];
}

/**
 * Runs work that precedes the first write. After a failure the transaction can be rolled back, so it is certain that nothing was committed.
 */
async function beforeWriting<T>(decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    throw error instanceof NotCommitted ? error : new NotCommitted('not decided', { cause: error });
  }
}
