import type { DbOptions, Tx } from '../../../platform/database/db.ts';
import { type AppError, commonErrors } from '../../../platform/errors.ts';
import { isTracing, span, traceparent } from '../../../platform/observability/trace.ts';
import { IDS_PER_BLOCK } from '../../money/ledger/queries.ts';
import { IDS_PER_REQUEST } from './batch.ts';
import { bettingErrors } from './errors.ts';
import { createLane, laneOf, type SettlerOptions } from './lane.ts';
import type { GameRequest } from './request.ts';
import { createSettler, type Waiting } from './settler.ts';

export type Settlement = {
  /** Settles a request and returns its response after the commit. Throws if the request is rejected. */
  settle<Answer extends object>(request: GameRequest<Answer>): Promise<Answer>;
  /** Settles a request in the caller's transaction. The player must be locked. Throws if the request is rejected. */
  settleWithin<Answer extends object>(tx: Tx, request: GameRequest<Answer>): Promise<Answer>;
  close(): Promise<void>;
};

export type SettlementOptions = SettlerOptions & {
  database: DbOptions;
  lanes: number;
  /** Maximum number of bets in a batch. */
  batch: number;
  /** Maximum number of bets that can wait for a lane. */
  queue: number;
  /** Maximum number of waiting bets of one player. */
  queuePerPlayer: number;
  deadlineMs: number;
};

/** How often waiting bets are checked for missed deadlines. */
export const SWEEP_MS = 200;

/**
 * Creates the settlement, which commits bets in groups. Bets that arrive while a batch is being settled share the next transaction, with
 * one lock, one write and one fsync. Each bet is still accepted or rejected separately. Each lane settles the bets of its players. It
 * starts a batch as soon as it is free, and never waits for more bets.
 */
export function createSettlement(options: SettlementOptions): Settlement {
  const queues = Array.from({ length: options.lanes }, (_, lane) => createQueue(options, lane));
  options.metrics.watch('croupier_bet_queue_length', 'Bets waiting for a lane', () =>
    queues.reduce((sum, { waiting }) => sum + waiting.length, 0),
  );
  let sweeping: NodeJS.Timeout | undefined;
  /**
   * Rejects bets that have missed their deadline, for example because the database does not respond. Runs only while bets are in progress.
   */
  const sweepSoon = () => {
    sweeping ??= setTimeout(() => {
      sweeping = undefined;
      for (const queue of queues) expire(queue);
      if (queues.some(({ running }) => running !== undefined)) sweepSoon();
    }, SWEEP_MS).unref();
  };
  return {
    settle<Answer extends object>(request: GameRequest<Answer>): Promise<Answer> {
      sweepSoon();
      const queue = queues[request.userId % queues.length]!;
      return isTracing() ? span('settle', {}, async () => add(queue, request)) : add(queue, request);
    },
    settleWithin<Answer extends object>(tx: Tx, request: GameRequest<Answer>): Promise<Answer> {
      // Grants are not settled here, because their separate transactions would wait for this one. They are settled later.
      const grants = { ...options.grants, settle: () => Promise.resolve() };
      const settleAlone = createSettler({ ...options, grants }, laneOf(tx), { usesCache: false });
      const until = Number.POSITIVE_INFINITY;
      return new Promise((resolve, reject) => {
        const answer = resolve as (answer: object) => void;
        void settleAlone([{ request, until, resolve: answer, reject }]);
      });
    },
    async close() {
      for (const queue of queues) while (queue.running !== undefined) await queue.running;
      await Promise.all(queues.map(({ close }) => close()));
      clearTimeout(sweeping);
    },
  };
}

/** The requests that wait for one lane, in order of arrival, and the batch that the lane is settling. */
type Queue = {
  options: SettlementOptions;
  settle: (batch: readonly Waiting[]) => Promise<void>;
  close: () => Promise<void>;
  waiting: Waiting[];
  /** Number of waiting requests by player. */
  waitingOf: Map<number, number>;
  inFlight: readonly Waiting[];
  running: Promise<void> | undefined;
  /** Moving average of the duration of batches. */
  batchMs: number;
};

function createQueue(options: SettlementOptions, index: number): Queue {
  const lane = createLane({ ...options.database, name: `${options.database.name} lane ${index}` });
  const settle = createSettler(options, lane);
  /** Creates a separate trace for a batch, with a link to each of its bets. */
  const settleTraced = (batch: readonly Waiting[]): Promise<void> => {
    const links = batch.map(({ trace }) => trace);
    const attributes = { 'croupier.bets': batch.length, 'croupier.lane': index };
    return span('settle batch', { parent: 'none', links, attributes }, () => settle(batch));
  };
  return {
    options,
    settle: (batch) => (isTracing() ? settleTraced(batch) : settle(batch)),
    close: lane.close,
    waiting: [],
    waitingOf: new Map(),
    inFlight: [],
    running: undefined,
    batchMs: 0,
  };
}

function add<Answer extends object>(queue: Queue, request: GameRequest<Answer>): Promise<Answer> {
  const { options, waiting } = queue;
  const refusal = refusalOf(queue, request.userId);
  if (refusal) {
    options.metrics.betsRefused.inc({ code: refusal.code });
    throw refusal;
  }
  countWaiting(queue, request.userId, 1);
  return new Promise((resolve, reject) => {
    const until = performance.now() + options.deadlineMs;
    waiting.push({ request, until, trace: traceparent(), resolve, reject });
    // Starts only after all requests that arrived together have been read, so that they share the first batch.
    queue.running ??= new Promise<void>((go) => setImmediate(go)).then(() => run(queue));
  });
}

async function run(queue: Queue): Promise<void> {
  const { waiting, options, settle } = queue;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, fitting(waiting, options.batch));
    queue.inFlight = batch;
    for (const { request } of batch) countWaiting(queue, request.userId, -1);
    const startedAt = performance.now();
    await settle(batch);
    queue.batchMs += (performance.now() - startedAt - queue.batchMs) / 4;
  }
  queue.inFlight = [];
  queue.running = undefined;
}

/** Returns how many of the first requests fit in one batch and one block of ids. */
function fitting(waiting: readonly Waiting[], most: number): number {
  let ids = 0;
  const end = waiting.findIndex(({ request }, i) => {
    ids += request.ids ?? IDS_PER_REQUEST;
    return i > 0 && (i === most || ids > IDS_PER_BLOCK);
  });
  return end < 0 ? waiting.length : end;
}

function refusalOf(queue: Queue, userId: number): AppError | undefined {
  const { options, waiting, waitingOf } = queue;
  if (waiting.length >= options.queue || isJammed(queue))
    return bettingErrors.BET_QUEUE_FULL({ retryAfterSeconds: 1 });
  if ((waitingOf.get(userId) ?? 0) >= options.queuePerPlayer)
    return commonErrors.TOO_MANY_AT_ONCE({ retryAfterSeconds: 1 });
  return undefined;
}

/**
 * Returns true if more bets are waiting than can be settled within half of the deadline: an additional bet would miss its deadline and
 * delay the others. Always false while fewer bets than one batch are waiting, so that `batchMs` stays up to date.
 */
function isJammed({ waiting, options, batchMs }: Queue): boolean {
  const { batch, deadlineMs } = options;
  return waiting.length >= batch && (waiting.length / batch) * batchMs > deadlineMs / 2;
}

function countWaiting({ waitingOf }: Queue, userId: number, change: 1 | -1): void {
  const count = (waitingOf.get(userId) ?? 0) + change;
  if (count > 0) waitingOf.set(userId, count);
  else waitingOf.delete(userId);
}

function expire(queue: Queue): void {
  const { waiting, inFlight } = queue;
  const now = performance.now();
  while (waiting.length > 0 && waiting[0]!.until < now) {
    const late = waiting.shift()!;
    countWaiting(queue, late.request.userId, -1);
    late.reject(bettingErrors.BET_TIMED_OUT({ retryAfterSeconds: 1 }));
  }
  // A bet that is being settled may still be placed, but its player gets a response now. Rejecting a resolved promise has no effect.
  for (const bet of inFlight)
    if (bet.until < now) bet.reject(bettingErrors.BET_OUTCOME_UNKNOWN({ retryAfterSeconds: 1 }));
}
