import { commonErrors } from '../../../platform/errors.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { isTracing, span, traceparent } from '../../../platform/trace.ts';
import { bettingErrors } from './errors.ts';
import type { GameRequest } from './request.ts';

export type QueueOptions = {
  /** Bets of one batch. */
  batch: number;
  /** Bets that may wait. */
  queue: number;
  /** Bets of one player that may wait. */
  queuePerPlayer: number;
  deadlineMs: number;
  metrics: Metrics;
};

export type Waiting = {
  request: GameRequest;
  until: number;
  /** What it is part of, for the span of its batch. */
  trace: string | undefined;
  resolve: (answer: object) => void;
  reject: (error: unknown) => void;
};

/** The requests that wait for one lane, in order of arrival, and the batch that is in flight on it. */
export function createQueue(
  options: QueueOptions,
  lane: { index: number; settle: (batch: readonly Waiting[]) => Promise<void> },
) {
  const waiting: Waiting[] = [];
  const waitingOf = createCounts();
  const pace = createPace();
  let inFlight: readonly Waiting[] = [];
  let running: Promise<void> | undefined;

  const run = async () => {
    while (waiting.length > 0) {
      inFlight = waiting.splice(0, options.batch);
      for (const { request } of inFlight) waitingOf.decrease(request.userId);
      const batch = inFlight;
      await pace.measure(() => (isTracing() ? settleTraced(batch) : lane.settle(batch)));
    }
    inFlight = [];
    running = undefined;
  };

  /** A batch belongs to none of its bets more than to the others: a trace of its own, with a link to each. */
  const settleTraced = (batch: readonly Waiting[]): Promise<void> => {
    const links = batch.map(({ trace }) => trace);
    const attributes = { 'croupier.bets': batch.length, 'croupier.lane': lane.index };
    return span('settle batch', { parent: 'none', links, attributes }, () => lane.settle(batch));
  };

  /**
   * More waits than is settled within half of the time that a bet may wait: whoever came now would be settled late or not at all,
   * and would keep others waiting. Never with less than a batch, so that what is known of the pace stays true.
   */
  const isJammed = () =>
    waiting.length >= options.batch &&
    (waiting.length / options.batch) * pace.batchMs() > options.deadlineMs / 2;

  const refusalOf = (userId: number) => {
    if (waiting.length >= options.queue || isJammed())
      return bettingErrors.BET_QUEUE_FULL({ retryAfterSeconds: 1 });
    if (waitingOf.get(userId) >= options.queuePerPlayer)
      return commonErrors.TOO_MANY_AT_ONCE({ retryAfterSeconds: 1 });
    return undefined;
  };

  return {
    add<Answer extends object>(request: GameRequest<Answer>): Promise<Answer> {
      const refusal = refusalOf(request.userId);
      if (refusal) {
        options.metrics.betsRefused.inc({ code: refusal.code });
        throw refusal;
      }
      waitingOf.increase(request.userId);
      return new Promise((resolve, reject) => {
        const until = performance.now() + options.deadlineMs;
        waiting.push({
          request,
          until,
          trace: traceparent(),
          resolve: resolve as Waiting['resolve'],
          reject,
        });
        // After the requests that arrived together have all been read: they share the first batch.
        running ??= new Promise<void>((go) => setImmediate(go)).then(run);
      });
    },
    length: () => waiting.length,
    isBusy: () => running !== undefined,
    expire() {
      const now = performance.now();
      while (waiting.length > 0 && waiting[0]!.until < now) {
        const late = waiting.shift()!;
        waitingOf.decrease(late.request.userId);
        late.reject(bettingErrors.BET_TIMED_OUT({ retryAfterSeconds: 1 }));
      }
      // A bet in flight may still be made; its player waits no longer. Rejecting one that was answered changes nothing.
      for (const bet of inFlight)
        if (bet.until < now) bet.reject(bettingErrors.BET_OUTCOME_UNKNOWN({ retryAfterSeconds: 1 }));
    },
    async close() {
      while (running !== undefined) await running;
    },
  };
}

/** How many bets of each player wait. */
function createCounts() {
  const counts = new Map<number, number>();
  const get = (userId: number) => counts.get(userId) ?? 0;
  return {
    get,
    increase: (userId: number) => counts.set(userId, get(userId) + 1),
    decrease(userId: number) {
      const left = get(userId) - 1;
      if (left > 0) counts.set(userId, left);
      else counts.delete(userId);
    },
  };
}

/** How long the latest batches took. */
function createPace() {
  let batchMs = 0;
  return {
    batchMs: () => batchMs,
    async measure(settle: () => Promise<void>) {
      const began = performance.now();
      await settle();
      batchMs += (performance.now() - began - batchMs) / 4;
    },
  };
}
