/** The load generator. It is a separate process that its parent controls (`calls`). */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTimes, openConnection } from './client.ts';
import { type Account, type Order, serve } from './protocol.ts';
import { type Log, type Source, sourcesOf } from './sources.ts';

const LONGEST_DRAIN_MS = 20_000;
/** An overloaded machine may cause a few rejections. More rejections than this mean that the server is broken. */
const MOST_REFUSALS = { skipped: 100, repeated: 5000 };
const PAUSE_MS = 20;

const groups = new Map<string, readonly Account[]>();
const log: Log = { bets: [], generic: [], hub88: [], softswiss: [], pragmatic: [] };
let running: Awaited<ReturnType<typeof start>> | undefined;

const calls = {
  players: (group: string, players: readonly Account[]) => void groups.set(group, shuffled(players)),
  /** Runs an order until it is warm, and begins to measure. */
  async start(order: Order): Promise<void> {
    running = await start(order);
  },
  /** Ends the measurement. Resolves when all pending requests are finished. */
  finish: () => running!.finish(),
  acknowledged: () => log,
};
export type Served = typeof calls;
export type RunResult = Awaited<ReturnType<Served['finish']>>;
serve(calls);

/** Returns the players in an order that is the same in every run, and that differs from the order of their rows on disk. */
function shuffled(players: readonly Account[]): Account[] {
  const placeOf = ({ userId }: Account) => Math.imul(userId, 2_654_435_761) >>> 0;
  return players.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Accepted bets, or requests without bets, and the total length of the responses. */
type Tally = { bets: number; bodyBytes: number; times: ReturnType<typeof createTimes> };

/** One connection, which its players use in turn. `startedMs` is when the request was due. */
type Seat = { send(startedMs: number): void; close(): void };

/** An order while it runs. `isStopped` is true once the time is up or there were too many rejections. */
type Course = {
  order: Order;
  inFlight: number;
  refusals: number;
  firstRefusal: string | undefined;
  broken: string | undefined;
  isStopped: boolean;
  release(seat: Seat): void;
};

/** Warms up and begins to measure. Throws if a connection breaks, because the results would be unreliable. */
async function start(order: Order) {
  const course: Course = {
    order,
    inFlight: 0,
    refusals: 0,
    firstRefusal: undefined,
    broken: undefined,
    isStopped: false,
    // Closed loop: a free connection sends the next request immediately.
    release: (seat) => seat.send(performance.now()),
  };
  const arrivals = order.perSecond === undefined ? undefined : createArrivals(order.perSecond, course);
  if (arrivals) course.release = arrivals.release;
  const tallies = order.streams.map((): Tally => ({ bets: 0, bodyBytes: 0, times: createTimes() }));
  const opening = order.streams.flatMap((stream, n) =>
    sourcesOf(stream, { players: groups.get(stream.group) ?? [], log }).map((source) =>
      openSeat(source, course, tallies[n]!),
    ),
  );
  const seats = await Promise.all(opening);
  // Every connection sends one request first, even in the open loop. The server closes a connection that has sent no request within
  // HEADERS_TIMEOUT_MS, but keeps idle connections that have sent one.
  for (const seat of seats) seat.send(performance.now());
  arrivals?.start();
  await sleep(order.warmUpMs);
  for (const tally of tallies) {
    tally.bets = 0;
    tally.bodyBytes = 0;
    tally.times.clear();
  }
  const startedMs = performance.now();
  return {
    /**
     * Ends the measurement. `backlog` is the number of requests of an open loop that were due but not yet sent. Rejected requests are counted
     * from the start of the order, including the warm-up.
     */
    async finish() {
      const seconds = (performance.now() - startedMs) / 1000;
      const streams = tallies.map(({ bets, bodyBytes, times }) => {
        const [p50Ms, p99Ms, maxMs] = times.all();
        return { bets, bodyBytes, p50Ms, p99Ms, maxMs };
      });
      const backlog = arrivals?.backlog() ?? 0;
      course.isStopped = true;
      await drain(course);
      for (const seat of seats) seat.close();
      return { streams, seconds, backlog, refusals: course.refusals, firstRefusal: course.firstRefusal };
    },
  };
}

async function drain(course: Course): Promise<void> {
  const giveUpMs = performance.now() + LONGEST_DRAIN_MS;
  while (course.inFlight > 0 && course.broken === undefined) {
    if (performance.now() > giveUpMs) throw new Error(`${course.inFlight} requests got no response`);
    await sleep(5);
  }
  if (course.broken !== undefined) throw new Error(course.broken);
}

async function openSeat(source: Source, course: Course, tally: Tally): Promise<Seat> {
  let startedMs = 0;
  const answered = (text: string, bodyAt: number): void => {
    const bets = source.took(text, bodyAt);
    if (bets === undefined) {
      // Repeats a call even after the time is up, because every transaction that the platform has booked must also be acknowledged.
      if (refuse(course, text, bodyAt) && course.order.repeatsRefused) {
        setTimeout(() => connection.send(source.next()), PAUSE_MS);
        return;
      }
      source.skip();
    } else {
      tally.bets += bets;
      tally.bodyBytes += text.length - bodyAt;
      tally.times.add(performance.now() - startedMs);
    }
    course.inFlight--;
    if (source.isOpen()) seat.send(performance.now());
    else if (!course.isStopped) course.release(seat);
  };
  const broken = (reason: string): void => {
    course.broken ??= reason;
  };
  const connection = await openConnection(course.order.port, { answered, broken });
  const send = (dueMs: number) => {
    startedMs = dueMs;
    course.inFlight++;
    connection.send(source.next());
  };
  const seat: Seat = { send, close: connection.close };
  return seat;
}

/** Counts a rejected request. Returns false if there were too many, which ends the order. */
function refuse(course: Course, text: string, bodyAt: number): boolean {
  const most = course.order.repeatsRefused ? MOST_REFUSALS.repeated : MOST_REFUSALS.skipped;
  course.refusals++;
  course.firstRefusal ??= `${text.slice(9, 12)} ${text.slice(bodyAt, bodyAt + 300)}`;
  if (course.refusals < most) return true;
  course.broken ??= `${course.refusals} requests were refused: ${course.firstRefusal}`;
  course.isStopped = true;
  return false;
}

/**
 * Open loop: requests arrive at random times (Poisson), regardless of whether earlier ones have finished. If no connection is free, a
 * request waits, and the wait is part of its latency. Arrivals are checked every millisecond. The connection that has been free for the
 * longest time sends the next request.
 */
function createArrivals(perSecond: number, course: Pick<Course, 'isStopped'>) {
  const free: Seat[] = [];
  const waiting: number[] = [];
  let nextMs = 0;
  const gapMs = () => (-Math.log(1 - Math.random()) / perSecond) * 1000;
  const tick = (): void => {
    if (course.isStopped) return;
    for (const now = performance.now(); nextMs <= now; nextMs += gapMs()) {
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
      const dueMs = waiting.shift();
      if (dueMs === undefined) free.push(seat);
      else seat.send(dueMs);
    },
  };
}
