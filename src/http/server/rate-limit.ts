import { commonErrors } from '../../platform/errors.ts';
import { addressOf } from '../../platform/net/address.ts';
import type { LimitClass } from '../route.ts';

/** Adds hits for many keys to the shared store and returns the totals of all processes. */
export type HitStore = (hits: readonly { key: string; window: number; hits: number }[]) => Promise<number[]>;

export type RateLimiter<Class extends string = LimitClass> = {
  /** Counts one request. Returns 0 if it is allowed, otherwise the number of seconds to wait. Never blocks. */
  hit(limit: Class, key: string): number;
  /** Adds `amount` to the count, even if the count exceeds the limit. */
  add(limit: Class, key: string, amount: number): void;
  /** Returns what `hit` would return, without counting a request. */
  peek(limit: Class, key: string): number;
  close(): void;
};

/** Counts one request. Throws 429 RATE_LIMITED if it exceeds the limit. */
export function countRequest<Class extends string>(
  limiter: RateLimiter<Class>,
  limit: Class,
  key: string,
): void {
  const seconds = limiter.hit(limit, key);
  if (seconds > 0) throw commonErrors.RATE_LIMITED({ retryAfterSeconds: seconds });
}

/** Counts one request for a page, a picture or another file. Throws 429 RATE_LIMITED if the address exceeds the limit. */
export const countFile = (limiter: RateLimiter, clientIp: string): void =>
  countRequest(limiter, 'file', addressOf(clientIp));

const WINDOW_MS = 60_000;
const SYNC_MS = 250;
/**
 * The fraction of a limit that one process may count before it shares its hits with the other processes. Without it, a burst could use the
 * whole limit once in every process.
 */
const UNSHARED = 0.02;

/**
 * Counts in fixed windows of one minute, in memory. Processes share new hits through the store four times a second, sooner in a burst.
 * Requests never wait for the limiter, and the shared count lags by at most 250 ms. If the store fails, each process limits by its local
 * count and shares it once the store works again.
 */
export function createRateLimiter<Class extends string>(
  limits: Record<Class, number>,
  store: HitStore,
  now = Date.now,
): RateLimiter<Class> {
  const counters = createCounters(store, now);
  const secondsOf = (allowed: number, counter: Counter | undefined): number =>
    counter && counter.total >= allowed ? counters.secondsLeft() : 0;
  return {
    hit(limit, key) {
      const allowed = limits[limit];
      if (allowed <= 0) return 0;
      const counter = counters.of(`${limit}:${key}`);
      const seconds = secondsOf(allowed, counter);
      if (seconds === 0) counters.add(counter, 1, allowed * UNSHARED);
      return seconds;
    },
    add(limit, key, amount) {
      const allowed = limits[limit];
      if (allowed > 0 && amount > 0) counters.add(counters.of(`${limit}:${key}`), amount, allowed * UNSHARED);
    },
    peek(limit, key) {
      const allowed = limits[limit];
      return allowed > 0 ? secondsOf(allowed, counters.find(`${limit}:${key}`)) : 0;
    },
    close: counters.close,
  };
}

type Counter = { window: number; total: number; unsent: number };

/** Creates the counters of the current window, which are shared with other processes. */
function createCounters(store: HitStore, now: () => number) {
  const counters = new Map<string, Counter>();
  let window = 0;
  let timer: NodeJS.Timeout | undefined;
  let isSharing = false;

  /**
   * Runs one exchange at a time. The next exchange includes the hits counted in the meantime, and hits that could not be shared because of
   * an error.
   */
  const share = async (): Promise<void> => {
    if (isSharing) return;
    isSharing = true;
    await sync(counters, store).catch(() => undefined);
    isSharing = false;
    if ([...counters.values()].some(({ unsent }) => unsent > 0)) shareSoon();
  };
  /** Schedules the next exchange. Without hits, nothing is scheduled. */
  const shareSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void share();
    }, SYNC_MS).unref();
  };
  const turn = () => {
    const current = Math.floor(now() / WINDOW_MS);
    if (current === window) return;
    counters.clear();
    window = current;
  };
  return {
    find(name: string): Counter | undefined {
      turn();
      return counters.get(name);
    },
    of(name: string): Counter {
      turn();
      const known = counters.get(name);
      if (known) return known;
      const counter = { window, total: 0, unsent: 0 };
      counters.set(name, counter);
      return counter;
    },
    /** Counts locally. Once `mostUnsent` hits have not been shared, shares them immediately. */
    add(counter: Counter, amount: number, mostUnsent: number): void {
      counter.total += amount;
      counter.unsent += amount;
      shareSoon();
      if (counter.unsent >= mostUnsent) void share();
    },
    secondsLeft: () => Math.ceil(((window + 1) * WINDOW_MS - now()) / 1000),
    close: () => clearTimeout(timer),
  };
}

async function sync(counters: ReadonlyMap<string, Counter>, store: HitStore): Promise<void> {
  const sent = [...counters]
    .filter(([, { unsent }]) => unsent > 0)
    .map(([key, counter]) => ({ key, counter, hits: counter.unsent }));
  if (sent.length === 0) return;
  for (const { counter, hits } of sent) counter.unsent -= hits;
  const news = sent.map(({ key, counter: { window }, hits }) => ({ key, window, hits }));
  const totals = await store(news).catch((error: unknown) => {
    for (const { counter, hits } of sent) counter.unsent += hits;
    throw error;
  });
  for (const [i, { counter }] of sent.entries())
    counter.total = Math.max(counter.total, (totals[i] ?? 0) + counter.unsent);
}
