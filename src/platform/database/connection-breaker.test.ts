import { beforeEach, expect, test } from 'vitest';
import {
  type ConnectionBreaker,
  createConnectionBreaker,
  DatabaseAway,
  LONGEST_LOGIN_MS,
} from './connection-breaker.ts';

let now: number;
let breaker: ConnectionBreaker;
beforeEach(() => {
  now = 0;
  breaker = createConnectionBreaker(
    () => now,
    () => 1,
  );
});

const OPENING = { where: 'at db:5432', waitMs: 2000, isFirst: false };
const refused = new Error('connect ECONNREFUSED');
/** Resolves to `opened` or `failed`, or to `away` if no attempt was made. */
async function open(
  attempt: () => Promise<unknown> = async () => undefined,
  opening = OPENING,
): Promise<string> {
  return breaker.open(opening, attempt).then(
    () => 'opened',
    (error: unknown) => (error instanceof DatabaseAway ? 'away' : 'failed'),
  );
}
const fail = (ms = 0) =>
  open(() => {
    now += ms;
    return Promise.reject(refused);
  });
const goAway = async () => {
  await fail();
  await fail();
};
/** Starts a connection attempt that lasts until the test ends it. */
function begin(opening = OPENING) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isUnderWay = false;
  const done = open(() => {
    isUnderWay = true;
    return promise;
  }, opening);
  return { done, resolve, reject, isUnderWay: () => isUnderWay };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('does not limit connection attempts after a single failure', async () => {
  await fail();
  expect(breaker.isWell()).toBe(true);
  expect([await open(), await fail(), breaker.isWell()]).toEqual(['opened', 'failed', true]);
});

test('makes one connection attempt at a time during an outage, with pauses that grow up to a limit', async () => {
  await goAway();
  const attempts: number[] = [];
  for (; now < 300_000; now += 10) if ((await fail()) === 'failed') attempts.push(now);
  const pauses = attempts.slice(1).map((at, i) => at - attempts[i]!);
  expect(pauses[0]).toBe(100);
  expect(Math.max(...pauses)).toBe(4000);
  expect(attempts.filter((at) => at < 1000).length).toBeGreaterThanOrEqual(9);
  expect(attempts.length).toBeLessThan(130);
  // After a short outage, this process recovers within a twelfth of the outage's duration.
  for (const [i, at] of attempts.entries())
    if (i > 0 && at < 12_000) expect(pauses[i - 1]).toBeLessThanOrEqual(Math.max(110, at / 12));
});

test('fails immediately while another attempt is in flight, and reports the server, the time and the reason', async () => {
  await goAway();
  now = 12_000;
  const probe = begin();
  await expect(breaker.open(OPENING, async () => undefined)).rejects.toMatchObject({
    message: 'PostgreSQL at db:5432 has accepted no connection for 12 s: connect ECONNREFUSED',
    code: '08001',
    cause: refused,
  });
  probe.resolve();
  expect(await probe.done).toBe('opened');
});

test('doubles the number of concurrent attempts with each success, and serves observers first', async () => {
  await goAway();
  now = 1000;
  expect(await open()).toBe('opened');
  const first = [begin(), begin()];
  const [waiter, observer] = [begin(), begin({ ...OPENING, isFirst: true })];
  await settle();
  expect([...first, waiter, observer].map((one) => one.isUnderWay())).toEqual([true, true, false, false]);
  first[0]!.reject(refused);
  expect(await Promise.all([first[0]!.done, waiter.done, observer.done])).toEqual(['failed', 'away', 'away']);
  first[1]!.resolve();
  await first[1]!.done;
  const next = [begin(), begin()];
  const [later, sooner] = [begin(), begin({ ...OPENING, isFirst: true })];
  next[0]!.resolve();
  await next[0]!.done;
  await settle();
  // Four concurrent logins are allowed now, and `next[1]` still occupies one slot.
  expect([later, sooner].map((one) => one.isUnderWay())).toEqual([true, true]);
});

test('recovers after five logins, or after some time without a failure', async () => {
  await goAway();
  now = 1000;
  for (let i = 0; i < 5; i++) {
    expect(breaker.isWell()).toBe(false);
    expect(await open()).toBe('opened');
  }
  expect(breaker.isWell()).toBe(true);
  await goAway();
  now += 5000;
  await open();
  expect(breaker.isWell()).toBe(false);
  now += 10_000;
  expect(breaker.isWell()).toBe(true);
});

test('extends the timeout after a login has timed out, and restores it on recovery', async () => {
  expect(breaker.loginMs(2000)).toBe(2000);
  await fail(2000);
  expect(breaker.loginMs(2000)).toBe(2000);
  await fail(2000);
  expect(breaker.loginMs(2000)).toBe(8000);
  now += 5000;
  await fail(8000);
  expect(breaker.loginMs(2000)).toBe(LONGEST_LOGIN_MS);
  expect(breaker.loginMs(15_000)).toBe(15_000);
  now += 5000;
  for (let i = 0; i < 5; i++) await open();
  expect(breaker.loginMs(2000)).toBe(2000);
});

test('stops waiting for a connection attempt after the timeout', async () => {
  await goAway();
  now = 1000;
  await open();
  const busy = [begin(), begin()];
  expect(await open(undefined, { ...OPENING, waitMs: 20 })).toBe('away');
  for (const one of busy) one.resolve();
  expect(await Promise.all(busy.map(({ done }) => done))).toEqual(['opened', 'opened']);
});
