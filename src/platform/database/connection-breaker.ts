import { messageOf } from '../errors.ts';

/**
 * Each pause between attempts is this fraction of the time since the outage began. After a short outage, the process therefore notices
 * almost immediately that the outage is over.
 */
const PAUSE_SHARE = 1 / 12;
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 4000;
/** Number of consecutive failures that are treated as an outage. One failure may concern only a single connection. */
const FAILURES = 2;
/** The longest time for one login while the database recovers, unless the normal timeout is longer. */
export const LONGEST_LOGIN_MS = 10_000;
/** The limit on concurrent attempts is removed once it exceeds `MOST_SLOTS`, or `WELL_AFTER_MS` after the last failure. */
const MOST_SLOTS = 16;
const WELL_AFTER_MS = 10_000;

/**
 * Thrown instead of opening a connection. The cause is the failure of the last attempt. The code is the SQLSTATE for a client that cannot
 * connect, so callers respond with 503.
 */
export class DatabaseAway extends Error {
  readonly code = '08001';
}

export type ConnectionBreaker = ReturnType<typeof createConnectionBreaker>;

type Opening = {
  /** The server's name in error messages. */
  where: string;
  /** The longest wait for a slot. A failed attempt that lasted this long is considered timed out. */
  waitMs: number;
  /** True for connections that monitor the database. They are opened before those that use it. */
  isFirst: boolean;
};
type Waiter = { start: () => void; fail: (error: Error) => void };

/**
 * Limits how a process opens connections to one server. All pools, lanes and listeners of the process share it.
 *
 * - Available: there is no limit.
 * - Unavailable, after two consecutive failures: one attempt at a time, with growing pauses and jitter. Other attempts immediately throw
 *   DatabaseAway.
 * - Recovering, after a success: two concurrent logins, then four, eight and so on. Other attempts wait for a slot. After a failure, the
 *   server is considered unavailable again.
 *
 * After a login has timed out, the next attempt has a longer timeout. Some poolers log in only one connection at a time, so processes that
 * give up too early would block each other.
 */
export function createConnectionBreaker(now: () => number = () => performance.now(), random = Math.random) {
  const reach = createReach(now, random);
  const turns = createTurns(reach);
  return {
    isWell: reach.isWell,
    /** Returns the current timeout of one login. `normalMs` is the timeout while the database is available. */
    loginMs: reach.loginMs,
    /** Runs an attempt to open a connection. Throws DatabaseAway without an attempt if no slot is available. */
    async open<T>(opening: Opening, attempt: () => Promise<T>): Promise<T> {
      await turns.take(opening);
      const startedAt = now();
      try {
        const opened = await attempt();
        reach.succeed();
        return opened;
      } catch (error) {
        reach.fail(error, startedAt, opening);
        if (reach.slots() === 1) turns.refuseWaiting(opening.where);
        throw error;
      } finally {
        turns.giveBack();
      }
    },
  };
}

type Reach = ReturnType<typeof createReach>;

/** Tracks the state of the server, derived from the attempts of this process. */
function createReach(now: () => number, random: () => number) {
  let slots = Number.POSITIVE_INFINITY;
  let failures = 0;
  let loginFactor = 1;
  let outageBeganAt = 0;
  /** The time at which the server last accepted a connection, or at which the outage began if it has accepted none since. */
  let acceptedAt = 0;
  let lastFailureAt = 0;
  let nextAt = 0;
  let cause: unknown;

  const becomeWell = () => {
    slots = Number.POSITIVE_INFINITY;
    loginFactor = 1;
  };
  const isWell = () => {
    if (slots > 1 && now() - lastFailureAt > WELL_AFTER_MS) becomeWell();
    return slots === Number.POSITIVE_INFINITY;
  };
  return {
    isWell,
    /** Number of concurrent attempts allowed. */
    slots: () => slots,
    isDue: () => now() >= nextAt,
    loginMs: (normalMs: number): number =>
      isWell() ? normalMs : Math.max(normalMs, Math.min(normalMs * loginFactor, LONGEST_LOGIN_MS)),
    succeed(): void {
      failures = 0;
      acceptedAt = now();
      if (slots === Number.POSITIVE_INFINITY) return;
      slots *= 2;
      if (slots > MOST_SLOTS) becomeWell();
    },
    fail(error: unknown, startedAt: number, { waitMs }: Opening): void {
      const wasWell = slots === Number.POSITIVE_INFINITY;
      if (failures++ === 0 && wasWell) outageBeganAt = acceptedAt = startedAt;
      lastFailureAt = now();
      cause = error;
      if (lastFailureAt - startedAt >= waitMs) loginFactor *= 2;
      if (failures < FAILURES && wasWell) return;
      slots = 1;
      const pauseMs = (lastFailureAt - outageBeganAt) * PAUSE_SHARE;
      const boundedMs = Math.min(Math.max(pauseMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
      nextAt = lastFailureAt + boundedMs * (0.5 + random() / 2);
    },
    away(where: string): DatabaseAway {
      const seconds = Math.round((now() - acceptedAt) / 1000);
      const message = `PostgreSQL ${where} has accepted no connection for ${seconds} s: ${messageOf(cause)}`;
      return new DatabaseAway(message, { cause });
    },
  };
}

/** Assigns slots to connection attempts. */
function createTurns(reach: Reach) {
  const waiting: Waiter[] = [];
  let inFlight = 0;

  const wait = ({ waitMs, isFirst }: Opening) =>
    new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        start() {
          clearTimeout(timer);
          inFlight++;
          resolve();
        },
        fail(error) {
          clearTimeout(timer);
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(new DatabaseAway('timeout: other connections of this process are being opened'));
      }, waitMs).unref();
      if (isFirst) waiting.unshift(waiter);
      else waiting.push(waiter);
    });
  return {
    /** Registers the attempt as running. Throws if it is not allowed. Waits for a slot only while the database recovers. */
    async take(opening: Opening): Promise<void> {
      const slots = reach.isWell() ? Number.POSITIVE_INFINITY : reach.slots();
      const isFree = inFlight < slots && (slots > 1 || reach.isDue());
      if (isFree) return void inFlight++;
      if (slots === 1) throw reach.away(opening.where);
      await wait(opening);
    },
    giveBack(): void {
      inFlight--;
      while (waiting.length > 0 && inFlight < reach.slots()) waiting.shift()!.start();
    },
    refuseWaiting(where: string): void {
      for (const { fail } of waiting.splice(0)) fail(reach.away(where));
    },
  };
}
