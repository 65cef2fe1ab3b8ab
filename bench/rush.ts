import { setTimeout as sleep } from 'node:timers/promises';
import type { BetLog } from './bet-log.ts';
import { betIdIn, betIdsIn, isSuccess, openConnection } from './client.ts';
import { createHistogram, type Histogram } from './histogram.ts';
import { createArrivals, type Refusals, refuse, type Seat } from './open-loop.ts';
import type { Account, FromGenerator, Order, RunResult } from './protocol.ts';

type Supplies = {
  players: readonly Account[];
  /** Prepared requests by step, then by player. */
  requests: readonly (readonly Buffer[])[];
  log: BetLog;
  tell: (message: FromGenerator) => void;
};

/** Counters of an order while it runs. `bets`, `bodyBytes` and `latency` are reset when the measurement begins. */
type Tally = Refusals & {
  bets: number;
  bodyBytes: number;
  latency: Histogram;
  inFlight: number;
};

const LONGEST_DRAIN_MS = 20_000;
/** An overloaded machine may cause a few rejections. More rejections than this mean that the server is broken. */
const MOST_REFUSALS = 100;
/** Used as the bet id if a response contains none. */
const NO_BET = 0;

/** Warms up, measures, and lets pending requests finish. Throws if a connection breaks, because the results would be unreliable. */
export async function runOrder(order: Order, supplies: Supplies): Promise<RunResult> {
  const tally: Tally = {
    bets: 0,
    bodyBytes: 0,
    latency: createHistogram(),
    refusals: 0,
    firstRefusal: undefined,
    inFlight: 0,
    isStopped: false,
    broken: undefined,
  };
  // Closed loop: a free connection sends the next request immediately. Open loop: a free connection waits until the next request is due.
  const released = order.perSecond === undefined ? (seat: Seat) => seat.send(performance.now()) : undefined;
  const arrivals = createArrivals(order.perSecond ?? 0, tally);
  const seats = await openSeats(order, supplies, { tally, release: released ?? arrivals.release });
  // Every connection sends one request first, even in the open loop. The server closes a connection that has sent no request within
  // HEADERS_TIMEOUT_MS, but keeps idle connections that have sent one.
  for (const seat of seats) seat.send(performance.now());
  if (!released) arrivals.start();
  await sleep(order.warmUpMs);
  tally.bets = 0;
  tally.bodyBytes = 0;
  tally.latency.clear();
  supplies.tell({ type: 'measuring' });
  const startedMs = performance.now();
  await sleep(order.measureMs);
  const seconds = (performance.now() - startedMs) / 1000;
  supplies.tell({ type: 'measured' });
  const measured = summary(tally, seconds, arrivals.backlog());
  tally.isStopped = true;
  await drain(tally);
  for (const seat of seats) seat.close();
  return { ...measured, refusals: tally.refusals, firstRefusal: tally.firstRefusal };
}

function summary(tally: Tally, seconds: number, backlog: number): RunResult {
  return {
    seconds,
    backlog,
    bets: tally.bets,
    bodyBytes: tally.bodyBytes,
    p50Ms: tally.latency.quantileMs(0.5),
    p99Ms: tally.latency.quantileMs(0.99),
    maxMs: tally.latency.quantileMs(1),
    refusals: tally.refusals,
    firstRefusal: tally.firstRefusal,
  };
}

async function drain(tally: Tally): Promise<void> {
  const giveUpMs = performance.now() + LONGEST_DRAIN_MS;
  while (tally.inFlight > 0 && tally.broken === undefined) {
    if (performance.now() > giveUpMs) throw new Error(`${tally.inFlight} requests got no response`);
    await sleep(5);
  }
  if (tally.broken !== undefined) throw new Error(tally.broken);
}

type Course = { tally: Tally; release: (seat: Seat) => void };

function openSeats(order: Order, supplies: Supplies, course: Course): Promise<Seat[]> {
  return Promise.all(
    Array.from({ length: order.connections }, (_, index) => openSeat(index, { order, supplies, course })),
  );
}

/** Opens a connection for the players at the positions `index`, `index + connections`, and so on. No player uses two connections. */
async function openSeat(
  index: number,
  { order, supplies, course }: { order: Order; supplies: Supplies; course: Course },
): Promise<Seat> {
  const { players, requests, log } = supplies;
  const { tally, release } = course;
  const { over, hasManyBets, isRead } = order.play;
  const first = order.players === 1 ? 0 : index;
  const last = requests.length - 1;
  let player = first;
  let step = 0;
  let startedMs = 0;
  /**
   * Records the bets in a response, which only the first request of a game creates. Returns the number of bets for which the response
   * counts, at least 1.
   */
  const keep = (text: string, bodyAt: number, betId: number): number => {
    if (!order.keepsBets || step > 0) return 1;
    const ids = hasManyBets ? betIdsIn(text, bodyAt) : [betId];
    for (const id of ids) log.add(id, players[player]!.userId);
    return ids.length;
  };
  const answered = (text: string, bodyAt: number): void => {
    const betId = !isSuccess(text) ? undefined : isRead ? NO_BET : betIdIn(text, bodyAt);
    if (betId === undefined) refuse(tally, { text, bodyAt, most: MOST_REFUSALS });
    else {
      tally.bets += keep(text, bodyAt, betId);
      tally.bodyBytes += text.length - bodyAt;
      tally.latency.add((performance.now() - startedMs) * 1000);
    }
    tally.inFlight--;
    // A round that has started is finished even after the time is up. Otherwise it would still be open in the next order.
    if (step < last && betId !== undefined && !(over !== undefined && text.includes(over, bodyAt))) {
      step++;
      send(performance.now());
      return;
    }
    step = 0;
    player += order.connections;
    if (player >= order.players) player = first;
    if (!tally.isStopped) release(seat);
  };
  const broken = (reason: string): void => {
    tally.broken ??= reason;
  };
  const connection = await openConnection(order.port, { answered, broken });
  const send = (begunMs: number): void => {
    startedMs = begunMs;
    tally.inFlight++;
    connection.send(requests[step]![player]!);
  };
  const seat: Seat = { send, close: connection.close };
  return seat;
}
