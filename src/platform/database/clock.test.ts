import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startApp } from '../../../test/kit/app.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { type FaultProxy, startFaultProxy } from '../../../test/kit/processes/fault-proxy.ts';
import { silentLog } from '../observability/log.ts';
import { type DatabaseClock, startDatabaseClock } from './clock.ts';
import type { DbOptions } from './db.ts';

let proxy: FaultProxy;
let options: DbOptions;
let databaseClock: DatabaseClock;
let heard: string[];
let gaps: number;
const app = fixture(startApp);
beforeAll(async () => {
  const { searchParams } = new URL(app.database.url.replace('@/', '@socket/'));
  const [folder, port] = [searchParams.get('host'), searchParams.get('port')];
  proxy = await startFaultProxy({ target: { path: `${folder}/.s.PGSQL.${port}` } });
  options = {
    connectionString: `postgres://croupier@127.0.0.1:${proxy.port}/${app.database.name}`,
    poolSize: 1,
    connectTimeoutMs: 2000,
    statementTimeoutMs: 1000,
    name: 'slow',
  };
});
beforeEach(async () => {
  [heard, gaps] = [[], 0];
  databaseClock = await startDatabaseClock(options, silentLog);
  databaseClock.onGap(() => gaps++);
  await databaseClock.onNotice('for_the_test', (payload) => heard.push(payload));
});
afterEach(async () => {
  proxy.mode('pass');
  await databaseClock.close();
  await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 5000, interval: 50 });
});
afterAll(() => proxy.stop());

const emitEvent = (text: string, channel = 'for_the_test') =>
  app.sql`select pg_notify(${channel}, ${text})`.execute(app.db);
const connections = async () => {
  const { rows } = await app.sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = ${app.database.name} and application_name = 'slow clock'`.execute(app.db);
  return rows[0]!.n;
};
const isUp = (up: boolean, timeout: number) =>
  vi.waitFor(() => expect(databaseClock.isUp()).toBe(up), { timeout, interval: 10 });

test('receives notifications immediately', async () => {
  await emitEvent('first');
  await vi.waitFor(() => expect(heard).toEqual(['first']), { timeout: 5000, interval: 5 });
  expect(gaps).toBe(0);
});

test('reports that the database is down and opens few connections while the database is too slow for LISTEN', async () => {
  // This delay makes LISTEN time out but still allows connecting.
  proxy.mode({ delayMs: 750 });
  await databaseClock.onNotice('for_later', (payload) => heard.push(payload));
  expect(databaseClock.isUp()).toBe(false);
  expect(gaps).toBeGreaterThan(0);
  await emitEvent('lost');
  const until = Date.now() + 4500;
  while (Date.now() < until) {
    await sleep(100);
    expect(databaseClock.isUp()).toBe(false);
  }
  proxy.mode('pass');
  const before = gaps;
  await isUp(true, 6000);
  expect(gaps).toBeGreaterThan(before);
  await emitEvent('second');
  await emitEvent('third', 'for_later');
  await vi.waitFor(() => expect(heard).toEqual(['second', 'third']), { timeout: 5000, interval: 5 });
  // The last abandoned connection is still being closed over the slow network.
  await vi.waitFor(async () => expect(await connections()).toBe(1), { timeout: 5000, interval: 50 });
});

test('leaves no open connection when it is closed during a connection attempt', async () => {
  proxy.mode('reset');
  await isUp(false, 5000);
  proxy.mode('pass');
  proxy.mode({ delayMs: 300 });
  await vi.waitFor(async () => expect(await connections()).toBe(1), { timeout: 3000, interval: 5 });
  expect(databaseClock.isUp()).toBe(false);
  await databaseClock.close();
  await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 5000, interval: 50 });
  expect(databaseClock.isUp()).toBe(false);
});
