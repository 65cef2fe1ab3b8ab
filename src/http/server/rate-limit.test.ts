import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRateLimiter, type HitStore } from './rate-limit.ts';

/** Creates an in-memory substitute for the store that processes share. `isDown` makes every call fail. */
function createStore() {
  const totals = new Map<string, number>();
  const calls: { key: string; window: number; hits: number }[][] = [];
  const state = { isDown: false };
  const add: HitStore = async (hits) => {
    if (state.isDown) throw new Error('no database');
    calls.push([...hits]);
    return hits.map(({ key, window, hits: n }) => {
      const total = (totals.get(`${window} ${key}`) ?? 0) + n;
      totals.set(`${window} ${key}`, total);
      return total;
    });
  };
  return { add, calls, state };
}

const START = 1_000_000 * 60_000;
const LIMITS = { auth: 2, money: 100, read: 0, public: 3, file: 0, upload: 0, apikey: 0 };
let now = START;
beforeEach(() => {
  now = START;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const limiterOn = (store: { add: HitStore }) => createRateLimiter(LIMITS, store.add, () => now);
const hits = (limiter: ReturnType<typeof limiterOn>, n: number, key = 'k') =>
  Array.from({ length: n }, () => limiter.hit('money', key)).filter((wait) => wait === 0).length;
/** Waits longer than the interval between two exchanges. */
const exchange = () => vi.advanceTimersByTimeAsync(300);

describe('one process', () => {
  test('allows requests up to the limit in each minute, and counts from zero in the next minute', () => {
    const limiter = limiterOn(createStore());
    expect(hits(limiter, 250)).toBe(100);
    now = START + 59_999;
    expect(hits(limiter, 250)).toBe(0);
    now = START + 60_000;
    expect(hits(limiter, 250)).toBe(100);
  });

  test('returns the time until the end of the minute in whole seconds, at least one', () => {
    const limiter = limiterOn(createStore());
    hits(limiter, 100);
    const waits = [0, 1, 30_000, 59_000, 59_001, 59_999].map((ms) => {
      now = START + ms;
      return limiter.hit('money', 'k');
    });
    expect(waits).toEqual([60, 60, 30, 1, 1, 1]);
  });

  test('counts requests separately for each key and class, and treats 0 as no limit', () => {
    const limiter = limiterOn(createStore());
    expect(hits(limiter, 101)).toBe(100);
    expect(hits(limiter, 101, 'other')).toBe(100);
    expect([1, 2, 3].map(() => limiter.hit('auth', 'k'))).toEqual([0, 0, 60]);
    expect([1, 2, 3, 4].map(() => limiter.hit('public', 'k'))).toEqual([0, 0, 0, 60]);
    for (let i = 0; i < 10_000; i++) expect(limiter.hit('read', 'k')).toBe(0);
  });

  test('returns the waiting time before the next request without counting a request', () => {
    const limiter = limiterOn(createStore());
    for (let i = 0; i < 10; i++) expect(limiter.peek('public', 'k')).toBe(0);
    expect([1, 2, 3].map(() => limiter.hit('public', 'k'))).toEqual([0, 0, 0]);
    now = START + 30_000;
    expect([limiter.peek('public', 'k'), limiter.hit('public', 'k')]).toEqual([30, 30]);
    expect([limiter.peek('public', 'other'), limiter.peek('auth', 'k'), limiter.peek('read', 'k')]).toEqual([
      0, 0, 0,
    ]);
    now = START + 60_000;
    expect(limiter.peek('public', 'k')).toBe(0);
  });

  test('limits only the requests of its own process while the store is unavailable', async () => {
    const store = createStore();
    store.state.isDown = true;
    const limiter = limiterOn(store);
    expect(hits(limiter, 60)).toBe(60);
    await exchange();
    expect(hits(limiter, 60)).toBe(40);
  });
});

describe('several processes', () => {
  test('shares request counts between processes', async () => {
    const store = createStore();
    const [one, two] = [limiterOn(store), limiterOn(store)];
    expect(hits(one, 60)).toBe(60);
    expect(hits(two, 1)).toBe(1);
    await exchange();
    expect(hits(two, 100)).toBe(39);
    await exchange();
    hits(one, 1);
    await exchange();
    expect(hits(one, 100)).toBe(0);
  });

  test('shares the counts of a burst immediately instead of at the next interval', async () => {
    const store = createStore();
    const pair = [limiterOn(store), limiterOn(store)];
    let passed = 0;
    for (let i = 0; i < 200; i++) {
      passed += hits(pair[i % 2]!, 1);
      // Simulates a request without giving timers a chance to run.
      await Promise.resolve().then(() => undefined);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
    expect(passed).toBeGreaterThanOrEqual(90);
    expect(passed).toBeLessThanOrEqual(110);
  });

  test('shares the requests counted during a store outage only once, when the outage ends', async () => {
    const store = createStore();
    const one = limiterOn(store);
    store.state.isDown = true;
    hits(one, 30);
    await exchange();
    await exchange();
    store.state.isDown = false;
    await exchange();
    await exchange();
    expect(store.calls.flat()).toEqual([{ key: 'money:k', window: START / 60_000, hits: 30 }]);
  });

  test('does not share the counts of rejected requests', async () => {
    const store = createStore();
    const one = limiterOn(store);
    hits(one, 5000);
    await exchange();
    expect(store.calls.flat().reduce((sum, call) => sum + call.hits, 0)).toBe(100);
  });

  test('neither shares the counts of the previous minute nor adds them to the current one', async () => {
    const store = createStore();
    const [one, two] = [limiterOn(store), limiterOn(store)];
    hits(one, 100);
    await exchange();
    now = START + 60_000;
    expect(hits(two, 150)).toBe(100);
    await exchange();
    expect(hits(one, 10)).toBe(10);
    await exchange();
    expect(hits(one, 10)).toBe(0);
  });

  test('stops adding the counts of other processes to a closed limiter', async () => {
    const store = createStore();
    const limiter = limiterOn(store);
    limiter.hit('money', 'k');
    limiter.close();
    await exchange();
    expect(store.calls).toEqual([]);
  });
});
