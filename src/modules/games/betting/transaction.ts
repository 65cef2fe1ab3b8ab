import { LRUCache } from 'lru-cache';
import { isUnavailable } from '../../../platform/database-errors.ts';
import type { Statement } from '../../../platform/db.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { findStatement, type StoredAnswer } from '../../base/idempotency/service.ts';
import { lockStatement, type Player } from '../../base/players/service.ts';
import {
  type RestrictionsRow,
  restrictionsStatement,
  toRestrictions,
} from '../../compliance/gate/queries.ts';
import type { Outlook } from '../../compliance/gate/service.ts';
import {
  type BonusBooks,
  createBooks,
  provesAll,
  type RememberedBonus,
  rememberedOf,
  undecided,
} from '../../money/bonus/books.ts';
import { readBetGrants, readBonusBets } from '../../money/bonus/queries.ts';
import type { BetGrant, BonusBet } from '../../money/bonus/rules.ts';
import { IDS_PER_BLOCK, readWalletsStatement, reserveIds } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { type Fairness, pairsStatement, type StoredPair } from '../fairness/service.ts';
import { idsOf, type Outcome, type Plan, planBatch, type Readings } from './batch.ts';
import { bettingErrors } from './errors.ts';
import { BEGIN, COMMIT, type Lane, NotCommitted, ROLLBACK } from './lane.ts';
import type { Block, GameRequest, Store } from './request.ts';

export type TransactionOptions = {
  fairness: Pick<Fairness, 'peekPair' | 'rememberPairs' | 'forgetPairs'>;
  outlook: Outlook;
  grants: BetGrants;
  log: Log;
  metrics: Metrics;
};

/** What bets with bonus money need of others. */
export type BetGrants = {
  /** What the terms of grants ask about a game. */
  factsOf: BonusBooks['factsOf'];
  /** Decides grants that may be at their end, in transactions of its own. Never fails: what is not decided now is decided later. */
  settle: (grantIds: readonly bigint[]) => Promise<void>;
  /** Bets have moved these grants: their players are told how far they are. */
  noteProgress: (grants: readonly BetGrant[]) => void;
};

/** A request whose player waits for the answer until the deadline (`performance.now()`). */
export type Waiting = {
  request: GameRequest;
  until: number;
  resolve(answer: object): void;
  reject(error: unknown): void;
};

/** A player's row and wallets as their last batch on this lane left them. */
type LastSeen = {
  player: Player;
  wallets: readonly Wallet[];
  bonus: RememberedBonus | undefined;
};

type Settler = TransactionOptions & {
  lane: Lane;
  /** The session of the lane in which all was seen that is remembered; undefined: nothing is. */
  seenIn: object | undefined;
  /** Lets a batch go out in one round trip. Whoever is in a batch that fails is forgotten. */
  lastSeen: LRUCache<number, LastSeen>;
  /** What stores remember. */
  memories: Map<Store, unknown>;
  /** Until when nothing remembered is used: it was old a moment ago, and others seem to be at the same rows. */
  distrustedUntil: number;
  /** Labels are hashed at every look-up: one look-up a game, not one a bet. */
  settledBets: Map<string, { inc(): void }>;
};

const MOST_REMEMBERED = 20_000;
const DISTRUST_MS = 250;

/**
 * Settles the batches of a lane: each in one transaction, which answers all of its requests. A lane that may not `trust` what stores
 * remember is one whose transaction cannot be begun anew.
 */
export function createSettler(options: TransactionOptions, lane: Lane, { trusts = true } = {}) {
  const settler: Settler = {
    ...options,
    lane,
    seenIn: undefined,
    lastSeen: new LRUCache({ max: MOST_REMEMBERED }),
    memories: new Map(),
    distrustedUntil: trusts ? 0 : Number.POSITIVE_INFINITY,
    settledBets: new Map(),
  };
  return (batch: readonly Waiting[]) => settle(settler, batch);
}

/** In one transaction, unless bets with grants need more ids than a block has: then the rest takes another. */
async function settle(settler: Settler, batch: readonly Waiting[], trusts = true): Promise<void> {
  let rest = batch;
  const open: Waiting[] = [];
  try {
    while (rest.length > 0) {
      const requests = rest.map((waiting) => waiting.request);
      const { outcomes, movedGrants, dueGrants } =
        (await settleUnread(settler, requests)) ??
        (trusts ? await settleTrusting(settler, requests) : undefined) ??
        (await settleLocked(settler, requests));
      rememberSession(settler);
      settler.metrics.betBatchSize.observe(outcomes.length);
      const settled = rest;
      rest = rest.slice(outcomes.length);
      if (movedGrants.length > 0) settler.grants.noteProgress(movedGrants);
      if (dueGrants.length > 0) await settler.grants.settle(dueGrants);
      for (const [i, outcome] of outcomes.entries())
        if (isOpen(outcome)) open.push(settled[i]!);
        else answer(settler, settled[i]!, outcome);
    }
  } catch (error) {
    await recover(settler, rest, error);
  }
  if (open.length > 0) await settle(settler, open, false);
}

/** What came of the first requests of a batch. */
type Settled = Pick<Plan, 'movedGrants' | 'dueGrants'> & { outcomes: readonly Outcome[] };

const isOpen = (outcome: Outcome): boolean => 'refusal' in outcome && outcome.isOpen === true;

function answer(settler: Settler, bet: Waiting, outcome: Outcome): void {
  if ('answer' in outcome) {
    if (outcome.settles) countSettled(settler, bet.request.game.slug);
    bet.resolve(outcome.answer);
  } else {
    const { refusal } = outcome;
    settler.metrics.betsRefused.inc({ code: refusal instanceof AppError ? refusal.code : 'INTERNAL_ERROR' });
    bet.reject(refusal);
  }
}

function countSettled({ metrics, settledBets }: Settler, game: string): void {
  const counter = settledBets.get(game) ?? metrics.betsSettled.labels({ game });
  settledBets.set(game, counter);
  counter.inc();
}

async function recover(settler: Settler, batch: readonly Waiting[], error: unknown): Promise<void> {
  const { log, lane } = settler;
  if (!(error instanceof NotCommitted)) {
    log.error({ error: String(error), bets: batch.length }, 'the outcome of a batch is unknown');
    for (const bet of batch) bet.reject(bettingErrors.BET_OUTCOME_UNKNOWN({ retryAfterSeconds: 1 }));
    return;
  }
  await lane.send([ROLLBACK]).catch(() => undefined);
  if (batch.length === 1) {
    batch[0]!.reject(error.cause ?? error);
    return;
  }
  const reason = String(error.cause ?? error);
  // An outage is told once, by whoever watches the database.
  const level = isUnavailable(error.cause) ? 'debug' : 'warn';
  log[level]({ error: reason, bets: batch.length }, 'a batch failed; its bets are tried one by one');
  for (const bet of batch) {
    if (bet.until < performance.now()) bet.reject(bettingErrors.BET_TIMED_OUT({ retryAfterSeconds: 1 }));
    else await settle(settler, [bet]);
  }
}

/** Two round trips: lock and read; decide; write and commit. With `memories`: what they hold is not read. */
async function settleLocked(
  settler: Settler,
  requests: readonly GameRequest[],
  memories: ReadonlyMap<Store, unknown> = NO_MEMORIES,
): Promise<Settled> {
  const { lane, lastSeen } = settler;
  const { readings, block, plan, first } = await decided(async () => {
    const { readings, block } = await read(settler, requests, memories);
    const first = requests.slice(0, fitting(requests, readings.players));
    return { readings, block, first, plan: planBatch(first, readings, block) };
  });
  for (const userId of readings.players.keys()) lastSeen.delete(userId);
  if (plan.statements.length > 0) await lane.send([...plan.statements, COMMIT]);
  else await lane.send([ROLLBACK]).catch(() => undefined);
  const outcomes = plan.outcomes(block);
  follow(plan);
  for (const [store, own] of requestsByStore(first))
    store.memory?.keep(memoryOf(settler, store), readings.states.get(store), own);
  const wallets = Map.groupBy(readings.wallets.values(), ({ userId }) => userId);
  const bonusOf = readings.bonus && rememberedOf(readings.bonus);
  for (const [userId, player] of readings.players) {
    const bonus = bonusOf?.get(userId);
    if (!player.isRestricted && (bonus || !player.hasGrant))
      lastSeen.set(userId, { player, wallets: wallets.get(userId) ?? [], bonus });
  }
  return { ...plan, outcomes };
}

/** How many of the requests one block of ids has room for. */
function fitting(requests: readonly GameRequest[], players: Readings['players']): number {
  let ids = 0;
  const end = requests.findIndex((request, i) => {
    ids += idsOf(request, players.get(request.userId));
    return i > 0 && ids > IDS_PER_BLOCK;
  });
  return end < 0 ? requests.length : end;
}

const NO_MEMORIES: ReadonlyMap<Store, unknown> = new Map();

/**
 * A server that has come back at an earlier state gives ids and versions again that are remembered here. Its connections have broken: nothing
 * that another one has read is used.
 */
function forgetOtherSessions(settler: Settler): void {
  if (settler.lane.session() !== settler.seenIn) forgetAll(settler);
}

/** What was just settled was seen in the session that is open now; one that is not open any more has left nothing to go by. */
function rememberSession(settler: Settler): void {
  const session = settler.lane.session();
  if (session === undefined) forgetAll(settler);
  else settler.seenIn = session;
}

function forgetAll(settler: Settler): void {
  settler.lastSeen.clear();
  settler.memories.clear();
  // Shared by the lanes: a lane that has not begun yet takes nothing from the others.
  if (settler.seenIn !== undefined) settler.fairness.forgetPairs();
  settler.seenIn = undefined;
}

function memoryOf({ memories }: Settler, store: Store): unknown {
  const known = memories.get(store) ?? store.memory?.create();
  memories.set(store, known);
  return known;
}

/**
 * Under the same locks, but what stores remember is not read: what is written proves it. Undefined: it was old, or a transaction has been
 * sent before, and the batch has to be settled on what is read. No request is refused from memory: such a one is left open.
 */
async function settleTrusting(
  settler: Settler,
  requests: readonly GameRequest[],
): Promise<Settled | undefined> {
  if (performance.now() < settler.distrustedUntil) return undefined;
  forgetOtherSessions(settler);
  const stores = requestsByStore(requests).filter(([store]) => store.memory);
  if (stores.length === 0) return undefined;
  const memories = new Map(stores.map(([store]) => [store, memoryOf(settler, store)]));
  let isSettled = false;
  try {
    const settled = await settleLocked(settler, requests, memories);
    isSettled = true;
    return settled;
  } catch (error) {
    if (!(error instanceof NotCommitted)) throw error;
    await settler.lane.send([ROLLBACK]).catch(() => undefined);
    settler.distrustedUntil = performance.now() + DISTRUST_MS;
    return undefined;
  } finally {
    if (!isSettled) for (const [store, own] of stores) store.memory!.forget(memories.get(store), own);
  }
}

/** What was read becomes what was written: the plan has changed the wallets themselves, but neither versions nor nonces. */
function follow({ wallets, taken }: Plan): void {
  for (const wallet of wallets) wallet.version++;
  for (const [player, nonces] of taken) player.nonce += nonces;
}

/** Locks the players and reads what the requests need. */
async function read(
  settler: Settler,
  requests: readonly GameRequest[],
  memories: ReadonlyMap<Store, unknown>,
) {
  const { lane, fairness, outlook } = settler;
  const users = [...new Set(requests.map(({ userId }) => userId))];
  const stores = requestsByStore(requests).map(([store, own]) => {
    const memory = memories.get(store);
    return { store, memory, statements: store.read(own, memory) };
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
    ({ store, memory, statements }) =>
      [store, store.stateOf(more.splice(0, statements.length), memory, statements)] as const,
  );
  const [stored = []] = more as StoredAnswer[][];
  const pairs = await readPairs(settler, players);
  const readings: Readings = {
    outlook,
    players: new Map(players.map((p) => [p.userId, p])),
    wallets: new Map(wallets.map((w) => [`${w.userId}:${w.currencyId}`, w])),
    states: new Map(states),
    remembered: new Set(memories.keys()),
    stored: new Map(stored.map((s) => [`${s.userId}:${s.key}`, s])),
    restrictions: await readRestrictions(lane, players),
    bonus: await readBonus(settler, players, bonusBetsOf(states)),
    pairs: (id) => pairs.get(id) ?? fairness.peekPair(id),
  };
  return { readings, block: ids[0] };
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

/** Their seeds, from memory or read. They stay here whatever is forgotten meanwhile. */
async function readPairs({ lane, fairness }: Settler, players: readonly Player[]) {
  const ids = players.map((p) => p.seedPairId);
  const pairs = new Map(ids.map((id) => [id, fairness.peekPair(id)]));
  const missing = ids.filter((id) => !pairs.get(id));
  if (missing.length === 0) return pairs;
  const [rows] = await lane.send([pairsStatement(missing)]);
  fairness.rememberPairs(rows as StoredPair[]);
  for (const id of missing) pairs.set(id, fairness.peekPair(id));
  return pairs;
}

/** What restricts the players whom the gate restricts. */
export async function readRestrictions(
  lane: Lane,
  players: readonly Player[],
): Promise<Readings['restrictions']> {
  const restricted = players.flatMap((p) => (p.isRestricted ? [p.userId] : []));
  const [rows = []] = restricted.length > 0 ? await lane.send([restrictionsStatement(restricted)]) : [];
  return new Map((rows as RestrictionsRow[]).map((row) => [row.userId, toRestrictions(row)]));
}

/** Bets with bonus money that have ended and may change all the same. */
const bonusBetsOf = (states: readonly (readonly [Store, unknown])[]): bigint[] =>
  states.flatMap(([store, state]) => store.bonusBets?.(state) ?? []);

/** The grants of the players who have one, their open bets with them, and these bets that have ended. */
export async function readBonus(
  { lane, grants: { factsOf } }: Pick<Settler, 'lane' | 'grants'>,
  players: readonly Player[],
  betIds: readonly bigint[] = [],
): Promise<BonusBooks | undefined> {
  const granted = players.flatMap((p) => (p.hasGrant ? [p.userId] : []));
  if (granted.length + betIds.length === 0) return undefined;
  const [grants, bets] = await lane.send([readBetGrants(granted, betIds), readBonusBets(granted, betIds)]);
  return createBooks(factsOf, { grants: grants as BetGrant[], bets: bets as BonusBet[] });
}

/**
 * One round trip for players who were seen before: the same statements without a lock, which fail when a player's nonce, seeds or
 * wallet are not as they were left. Undefined: the batch has to be settled with the lock, because it needs something that is known
 * there alone (stored answers, open rounds, the time of the last bet), because somebody has changed something, or because it refuses
 * a request, which only what holds now may do.
 */
async function settleUnread(
  settler: Settler,
  requests: readonly GameRequest[],
): Promise<Settled | undefined> {
  const { lane, lastSeen } = settler;
  forgetOtherSessions(settler);
  const readings = readingsOf(settler, requests);
  if (!readings) return undefined;
  const { players } = readings;
  const fits = fitting(requests, players);
  if (fits < requests.length) return settleUnread(settler, requests.slice(0, fits));
  let isSettled = false;
  try {
    const plan = await decided(async () => planBatch(requests, readings));
    // Without a nonce nothing in the statements would prove a player's row.
    if (plan.refuses || plan.taken.size < players.size) return undefined;
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

/** What the batch needs, from memory. Undefined: something has to be read. */
function readingsOf(settler: Settler, requests: readonly GameRequest[]): Readings | undefined {
  const { lastSeen, fairness, outlook } = settler;
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
      : createBooks(settler.grants.factsOf, {
          grants: bonuses.flatMap(({ grants }) => grants),
          bets: bonuses.flatMap(({ bets }) => bets),
        });
  const [stored, restrictions, states] = [new Map(), new Map(), new Map()];
  return { players, wallets, stored, restrictions, states, outlook, bonus, pairs: fairness.peekPair };
}

/** Nothing was written yet: whatever goes wrong here leaves a transaction to roll back, not an unknown outcome. */
async function decided<T>(decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    throw error instanceof NotCommitted ? error : new NotCommitted('not decided', { cause: error });
  }
}
