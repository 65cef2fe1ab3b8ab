import { setTimeout as sleep } from 'node:timers/promises';
import type { BetLog } from './bet-log.ts';
import { betIdIn, betIdsIn, isSuccess, openConnection } from './client.ts';
import { createHistogram, type Histogram } from './histogram.ts';
import type { Account, FromGenerator, Order, RunResult } from './protocol.ts';

type Supplies = {
  players: readonly Account[];
  /** By step, then by player. */
  requests: readonly (readonly Buffer[])[];
  log: BetLog;
  tell: (message: FromGenerator) => void;
};

/** What is counted while an order runs; `bets`, `bodyBytes` and `latency` are reset when the measurement begins. */
type Tally = {
  bets: number;
  bodyBytes: number;
  latency: Histogram;
  refusals: number;
  firstRefusal: string | undefined;
  inFlight: number;
  stopped: boolean;
  broken: string | undefined;
};

/** One connection and the players who use it in turn. */
type Seat = { send(startedMs: number): void; close(): void };

const LONGEST_DRAIN_MS = 20_000;
/** A few may happen on a machine that is too busy; more than that is a broken server. */
const MOST_REFUSALS = 100;
/** In the place of a bet's id where an answer is none. */
const NO_BET = 0;

/** Warms up, measures, lets what is in flight finish. Throws when a connection breaks: then nothing is certain. */
export async function runOrder(order: Order, supplies: Supplies): Promise<RunResult> {
  const tally: Tally = {
    bets: 0,
    bodyBytes: 0,
    latency: createHistogram(),
    refusals: 0,
    firstRefusal: undefined,
    inFlight: 0,
    stopped: false,
    broken: undefined,
  };
  const free: Seat[] = [];
  // Closed loop: a free seat sends the next request immediately. Open loop: it waits for an arrival.
  const released = order.perSecond === undefined ? (seat: Seat) => seat.send(performance.now()) : undefined;
  const arrivals = createArrivals(order.perSecond ?? 0, free, tally);
  const seats = await openSeats(order, supplies, { tally, release: released ?? arrivals.release });
  // In the open loop too: a connection on which nothing was ever sent is refused after HEADERS_TIMEOUT_MS, one that is kept alive is not.
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
  tally.stopped = true;
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
    if (performance.now() > giveUpMs) throw new Error(`${tally.inFlight} requests were never answered`);
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

/** Connection `index` serves the players index, index + connections, …: no player is on two connections. */
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
  /** How many bets an answer counts for; the first step's are new. */
  const keep = (text: string, bodyAt: number, betId: number): number => {
    if (!order.keepsBets || step > 0) return 1;
    const ids = hasManyBets ? betIdsIn(text, bodyAt) : [betId];
    for (const id of ids) log.add(id, players[player]!.userId);
    return ids.length;
  };
  const answered = (text: string, bodyAt: number): void => {
    const betId = !isSuccess(text) ? undefined : isRead ? NO_BET : betIdIn(text, bodyAt);
    if (betId === undefined) refuse(tally, text, bodyAt);
    else {
      tally.bets += keep(text, bodyAt, betId);
      tally.bodyBytes += text.length - bodyAt;
      tally.latency.add((performance.now() - startedMs) * 1000);
    }
    tally.inFlight--;
    // What was begun is played to its end, also when the time is up: the next order finds no open round.
    if (step < last && betId !== undefined && !(over !== undefined && text.includes(over, bodyAt))) {
      step++;
      send(performance.now());
      return;
    }
    step = 0;
    player += order.connections;
    if (player >= order.players) player = first;
    if (!tally.stopped) release(seat);
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

function refuse(tally: Tally, text: string, bodyAt: number): void {
  tally.refusals++;
  tally.firstRefusal ??= `${text.slice(9, 12)} ${text.slice(bodyAt)}`;
  if (tally.refusals < MOST_REFUSALS) return;
  tally.broken ??= `${tally.refusals} requests were refused: ${tally.firstRefusal}`;
  tally.stopped = true;
}

/**
 * Open loop: requests arrive at random (Poisson), whether or not earlier ones are answered. One that finds no free
 * connection waits, and its latency counts from its arrival. Arrivals are noticed every millisecond. Connections take turns, and so do
 * their players: the one that has been free for longest sends next.
 */
function createArrivals(perSecond: number, free: Seat[], tally: Tally) {
  const waiting: number[] = [];
  let nextMs = 0;
  const gapMs = () => (-Math.log(1 - Math.random()) / perSecond) * 1000;
  const tick = (): void => {
    if (tally.stopped) return;
    const now = performance.now();
    for (; nextMs <= now; nextMs += gapMs()) {
      const seat = free.shift();
      if (seat) seat.send(nextMs);
      else waiting.push(nextMs);
    }
    setTimeout(tick, 1);
  };
  return {
    backlog: () => waiting.length,
    start(): void {
      nextMs = performance.now() + gapMs();
      tick();
    },
    release(seat: Seat): void {
      const arrivedMs = waiting.shift();
      if (arrivedMs === undefined) free.push(seat);
      else seat.send(arrivedMs);
    },
  };
}
