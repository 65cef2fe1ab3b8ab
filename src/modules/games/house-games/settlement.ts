import { LRUCache } from 'lru-cache';
import type { DbOptions, Statement } from '../../../platform/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { isTracing, span, traceparent } from '../../../platform/trace.ts';
import { findStatement, type StoredAnswer } from '../../base/idempotency/service.ts';
import { lockStatement, type Player } from '../../base/players/service.ts';
import {
  type RestrictionsRow,
  restrictionsStatement,
  toRestrictions,
} from '../../compliance/gate/queries.ts';
import type { Outlook } from '../../compliance/gate/service.ts';
import { readWalletsStatement, reserveIds } from '../../money/ledger/queries.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { type Fairness, pairsStatement, type StoredPair } from '../fairness/service.ts';
import { type Outcome, planBatch, type Readings } from './batch.ts';
import { houseGameErrors } from './errors.ts';
import { BEGIN, COMMIT, createLane, type Lane, NotCommitted, ROLLBACK } from './lane.ts';
import { type RoundRow, readRoundsStatement } from './queries.ts';
import type { BetRequest, GameRequest } from './request.ts';
import {
  type BettingRound,
  currentRoundStatement,
  type Placed,
  placedStatement,
} from './speed-roulette/queries.ts';
import type { Block } from './table.ts';

export type Settlement = {
  /** Carries a request out and answers it after its COMMIT. Throws the refusal. */
  settle(request: GameRequest): Promise<object>;
  close(): Promise<void>;
};

export type SettlementOptions = {
  database: DbOptions;
  lanes: number;
  batch: number;
  queue: number;
  /** Bets of one player that may wait. */
  queuePerPlayer: number;
  deadlineMs: number;
  fairness: Pick<Fairness, 'peekPair' | 'rememberPairs'>;
  outlook: Outlook;
  log: Log;
  metrics: Metrics;
};

type Waiting = {
  request: GameRequest;
  until: number;
  /** What it is part of, for the span of its batch. */
  trace: string | undefined;
  resolve: (answer: object) => void;
  reject: (error: unknown) => void;
};

/**
 * Group commit. Bets that arrive while a batch is in flight share the next transaction: one lock, one write, one
 * fsync for all of them, and each is decided alone. A lane settles the bets of its players; it flushes when it is free
 * and never waits for more.
 */
export function createSettlement(options: SettlementOptions): Settlement {
  const queues = Array.from({ length: options.lanes }, (_, i) => createQueue(options, i));
  options.metrics.watch('bet_queue_length', 'Bets waiting for a lane', () =>
    queues.reduce((sum, queue) => sum + queue.length(), 0),
  );
  // Nobody waits for a database that has gone silent.
  const sweep = setInterval(() => {
    for (const queue of queues) queue.expire();
  }, 200).unref();
  return {
    settle(request) {
      const queue = queues[request.userId % queues.length]!;
      return isTracing() ? span('settle', {}, async () => queue.add(request)) : queue.add(request);
    },
    async close() {
      await Promise.all(queues.map((q) => q.close()));
      clearInterval(sweep);
    },
  };
}

function createQueue(options: SettlementOptions, index: number) {
  const lane = createLane({ ...options.database, name: `${options.database.name} lane ${index}` });
  const settler = createSettler(options, lane);
  const waiting: Waiting[] = [];
  let flying: readonly Waiting[] = [];
  let running: Promise<void> | undefined;
  /** How many bets of each player wait. */
  const waitingOf = new Map<number, number>();
  const leave = ({ request: { userId } }: Waiting) => {
    const left = waitingOf.get(userId)! - 1;
    if (left > 0) waitingOf.set(userId, left);
    else waitingOf.delete(userId);
  };
  /** What a batch takes lately. */
  let batchMs = 0;

  /** A batch belongs to none of its bets more than to the others: a trace of its own, with a link to each. */
  const settleTraced = (batch: readonly Waiting[]): Promise<void> => {
    const links = batch.map(({ trace }) => trace);
    const attributes = { 'croupier.bets': batch.length, 'croupier.lane': index };
    return span('settle batch', { parent: 'none', links, attributes }, () => settler.settle(batch));
  };

  const run = async () => {
    while (waiting.length > 0) {
      flying = waiting.splice(0, options.batch);
      for (const bet of flying) leave(bet);
      const began = performance.now();
      await (isTracing() ? settleTraced(flying) : settler.settle(flying));
      batchMs += (performance.now() - began - batchMs) / 4;
    }
    flying = [];
    running = undefined;
  };

  /**
   * More waits than is settled within half of the time that a bet may wait: whoever came now would be settled late or not at all,
   * and would keep others waiting. Never with less than a batch, so that what is known of the pace stays true.
   */
  const isJammed = () =>
    waiting.length >= options.batch && (waiting.length / options.batch) * batchMs > options.deadlineMs / 2;

  return {
    add(request: GameRequest): Promise<object> {
      const { userId } = request;
      const ofPlayer = waitingOf.get(userId) ?? 0;
      if (waiting.length >= options.queue || isJammed()) {
        options.metrics.betsRefused.inc({ code: 'BET_QUEUE_FULL' });
        throw houseGameErrors.BET_QUEUE_FULL({ retryAfterSeconds: 1 });
      }
      if (ofPlayer >= options.queuePerPlayer) {
        options.metrics.betsRefused.inc({ code: 'TOO_MANY_AT_ONCE' });
        throw commonErrors.TOO_MANY_AT_ONCE({ retryAfterSeconds: 1 });
      }
      waitingOf.set(userId, ofPlayer + 1);
      return new Promise((resolve, reject) => {
        const until = performance.now() + options.deadlineMs;
        waiting.push({ request, until, trace: traceparent(), resolve, reject });
        // After the requests that arrived together have all been read: they share the first batch.
        running ??= new Promise<void>((go) => setImmediate(go)).then(run);
      });
    },
    length: () => waiting.length,
    expire() {
      const now = performance.now();
      while (waiting.length > 0 && waiting[0]!.until < now) {
        const late = waiting.shift()!;
        leave(late);
        late.reject(houseGameErrors.BET_TIMED_OUT({ retryAfterSeconds: 1 }));
      }
      // What is under way may still be made; its player waits no longer. An answered bet is not touched by this.
      for (const bet of flying)
        if (bet.until < now) bet.reject(houseGameErrors.BET_OUTCOME_UNKNOWN({ retryAfterSeconds: 1 }));
    },
    async close() {
      while (running !== undefined) await running;
      await lane.close();
    },
  };
}

type Read = {
  players: Player[];
  wallets: Wallet[];
  rounds: RoundRow[];
  shared: Readings['shared'];
  stored: StoredAnswer[];
};
type Known = { player: Player; wallets: ReadonlyMap<string, Wallet> };

function createSettler({ fairness, outlook, log, metrics }: SettlementOptions, lane: Lane) {
  // What a player's row and wallets were after his last bet here: lets a lone bet go out in one round trip.
  const known = new LRUCache<number, Known>({ max: 10_000 });

  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const outcomes =
        (batch.length === 1 && (await settleKnown(batch[0]!.request))) ||
        (await settleLocked(requestsOf(batch)));
      metrics.betBatchSize.observe(batch.length);
      for (let i = 0; i < batch.length; i++) answer(batch[i]!, outcomes[i]!);
    } catch (error) {
      await recover(batch, error);
    }
  };

  const recover = async (batch: readonly Waiting[], error: unknown): Promise<void> => {
    if (!(error instanceof NotCommitted)) {
      log.error({ error: String(error), bets: batch.length }, 'the outcome of a batch is unknown');
      for (const bet of batch) bet.reject(houseGameErrors.BET_OUTCOME_UNKNOWN({ retryAfterSeconds: 1 }));
      return;
    }
    await lane.send([ROLLBACK]).catch(() => undefined);
    if (batch.length === 1) {
      batch[0]!.reject(error.cause ?? error);
      return;
    }
    log.warn(
      { error: String(error.cause ?? error), bets: batch.length },
      'a batch failed; its bets are tried one by one',
    );
    for (const bet of batch) {
      if (bet.until < performance.now()) bet.reject(houseGameErrors.BET_TIMED_OUT({ retryAfterSeconds: 1 }));
      else await settle([bet]);
    }
  };

  /** Two round trips: lock and read; decide; write and commit. */
  const settleLocked = async (requests: readonly GameRequest[]): Promise<Outcome[]> => {
    const users = usersOf(requests);
    const keys = requests.flatMap(({ userId, repeat }) => (repeat ? [{ userId, key: repeat.key }] : []));
    const find = keys.length > 0 ? [findStatement(keys)] : [];
    const inRounds = usersOf(requests, needsRound);
    const readRounds = inRounds.length > 0 ? [readRoundsStatement(inRounds)] : [];
    // The shared round is held only after the players, and only for those who bet in it: whoever closes it waits for them.
    const inShared = usersOf(requests, isPlaced);
    const readShared = inShared.length > 0 ? [currentRoundStatement(), placedStatement(inShared)] : [];
    const { readings, plan, block } = await decided(async () => {
      const [, players, wallets, ids, ...more] = await lane.send([
        BEGIN,
        lockStatement(users),
        readWalletsStatement(users),
        reserveIds(),
        ...readRounds,
        ...readShared,
        ...find,
      ]);
      const block = ids![0] as Block;
      const rounds = (readRounds.length > 0 ? more.shift() : []) as RoundRow[];
      const shared =
        readShared.length > 0
          ? sharedOf(more.shift() as BettingRound[], more.shift() as Placed[])
          : undefined;
      const stored = (find.length > 0 ? more.shift() : []) as StoredAnswer[];
      const read = { players: players as Player[], wallets: wallets as Wallet[], rounds, shared, stored };
      const readings = await readingsOf(read);
      return { readings, plan: planBatch(requests, readings, block), block };
    });
    if (plan.statements.length > 0) await lane.send([...plan.statements, COMMIT]);
    else await lane.send([ROLLBACK]).catch(() => undefined);
    const [lone] = requests;
    if (requests.length === 1 && plan.nonces === 1 && isSimple(lone!)) remember(lone, readings);
    else for (const user of users) known.delete(user);
    return plan.outcomes(block);
  };

  /**
   * One round trip for a lone bet of a player seen before: the same statements, which fail when his nonce, seeds or wallet
   * are not what they were. Undefined: take the usual way.
   */
  const settleKnown = async (request: GameRequest): Promise<Outcome[] | undefined> => {
    // When they last bet is known under their lock only.
    if (request.repeat || !isSimple(request) || outlook(null).keepsBetTimes) return undefined;
    const last = known.get(request.userId);
    if (!last || !fairness.peekPair(last.player.seedPairId)) return undefined;
    known.delete(request.userId);
    const players = new Map([[request.userId, last.player]]);
    const readings: Readings = {
      players,
      wallets: last.wallets,
      stored: new Map(),
      pairs: fairness.peekPair,
      restrictions: new Map(),
      rounds: new Map(),
      shared: undefined,
      outlook,
    };
    try {
      const plan = await decided(async () => planBatch([request], readings));
      if (plan.nonces === 0) return undefined;
      const [advance, ...writes] = plan.statements as [Statement, ...Statement[]];
      const [, , ids] = await lane.send([BEGIN, advance, reserveIds(), ...writes, COMMIT]);
      remember(request, readings);
      return plan.outcomes(ids![0] as Block);
    } catch (error) {
      if (!(error instanceof NotCommitted)) throw error;
      return undefined;
    }
  };

  const readingsOf = async ({ players, wallets, rounds, shared, stored }: Read): Promise<Readings> => {
    const missing = players.map((p) => p.seedPairId).filter((id) => !fairness.peekPair(id));
    if (missing.length > 0) {
      const [rows] = await lane.send([pairsStatement(missing)]);
      fairness.rememberPairs(rows as StoredPair[]);
    }
    const restricted = players.flatMap((p) => (p.isRestricted ? [p.userId] : []));
    const [restrictions = []] =
      restricted.length > 0 ? await lane.send([restrictionsStatement(restricted)]) : [];
    return {
      outlook,
      restrictions: new Map(
        (restrictions as RestrictionsRow[]).map((row) => [row.userId, toRestrictions(row)]),
      ),
      players: new Map(players.map((p) => [p.userId, p])),
      wallets: new Map(wallets.map((w) => [`${w.userId}:${w.currencyId}`, w])),
      rounds: new Map(rounds.map((r) => [`${r.userId}:${r.gameId}`, r])),
      shared,
      stored: new Map(stored.map((s) => [`${s.userId}:${s.key}`, s])),
      pairs: fairness.peekPair,
    };
  };

  /** The plan changed the wallet in place; nonce and version follow what was written. */
  const remember = ({ userId, currency }: BetRequest, readings: Readings) => {
    const player = readings.players.get(userId)!;
    if (player.isRestricted) return;
    readings.wallets.get(`${userId}:${currency.id}`)!.version++;
    known.set(userId, { player: { ...player, nonce: player.nonce + 1 }, wallets: readings.wallets });
  };

  // Labels are hashed at every look-up: one look-up a game, not one a bet.
  const counters = new Map<string, { inc(): void }>();
  const settledOf = (game: string) => {
    const counter = counters.get(game) ?? metrics.betsSettled.labels({ game });
    counters.set(game, counter);
    return counter;
  };

  const answer = (bet: Waiting, outcome: Outcome) => {
    if ('answer' in outcome) {
      if (outcome.settles) settledOf(bet.request.game.slug).inc();
      bet.resolve(outcome.answer);
    } else {
      metrics.betsRefused.inc({
        code: outcome.refusal instanceof AppError ? outcome.refusal.code : 'INTERNAL_ERROR',
      });
      bet.reject(outcome.refusal);
    }
  };

  return { settle };
}

/** Nothing was written yet: whatever goes wrong here leaves a transaction to roll back, not an unknown outcome. */
async function decided<T>(decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    throw error instanceof NotCommitted ? error : new NotCommitted('not decided', { cause: error });
  }
}

/** A bet that hangs on no open round. */
const isSimple = (request: GameRequest): request is BetRequest => 'play' in request && !request.isAlone;
const needsRound = (request: GameRequest): boolean =>
  'act' in request || 'begin' in request || ('play' in request && request.isAlone === true);

const isPlaced = (request: GameRequest): boolean => 'isShared' in request;

const usersOf = (requests: readonly GameRequest[], which: (r: GameRequest) => boolean = () => true) => [
  ...new Set(requests.filter(which).map((r) => r.userId)),
];

function sharedOf([round]: readonly BettingRound[], placed: readonly Placed[]): Readings['shared'] {
  return round?.isOpen ? { round, placed: new Map(placed.map((p) => [p.userId, p.usd])) } : undefined;
}

const requestsOf = (batch: readonly Waiting[]) => batch.map((b) => b.request);
