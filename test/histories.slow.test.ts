import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PARTS } from '../src/app/apps.ts';
import { assertRoutes } from '../src/http/route.ts';
import { betOnDice, type Player, startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { type StandbyServer, startPrimary, startStandby } from './kit/processes/replica.ts';
import { until } from './kit/until.ts';

const WAIT_MS = 500;
let standby: StandbyServer;
/** Three processes use one primary. Two of them also use its replica for players' reads. */
let apps: [TestApp, TestApp];
let plain: TestApp;

const primary = fixture(startPrimary);
beforeAll(async () => {
  standby = await startStandby(primary);
  const start = (wait: number) =>
    startApp({
      database: primary.database,
      env: { DATABASE_READ_URL: standby.url, READ_HISTORIES_WAIT_MS: String(wait), DATABASE_POOL_SIZE: '4' },
    });
  apps = [await start(WAIT_MS), await start(WAIT_MS)];
  plain = await start(0);
});
afterAll(async () => {
  await plain?.stop();
  for (const app of apps ?? []) await app.stop();
  await standby?.stop();
});

const isUsed = async () => {
  await until(() => apps.every(({ services }) => services.replica!.isUsed()));
  // After a process has found the replica unusable, it does not use the replica for a second.
  await sleep(1100);
};
const countsOf = async ({ services }: TestApp) => {
  const { values } = await services.metrics.historyReads.get();
  const by = (name: string) => values.find(({ labels }) => labels.by === name)?.value ?? 0;
  return { replica: by('replica'), primary: by('primary') };
};
const totalAt = async ({ call }: TestApp, { token }: Player) => {
  const { status, body, text } = await call('GET', '/bets', { token });
  expect([status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
  return body.total as number;
};

test('reads every player history from the replica, which accepts no writes', async () => {
  await isUsed();
  const [app] = apps;
  const player = await app.newPlayer({ usdt: 100 });
  const { betId } = (await betOnDice(player)).body;
  const routes = PARTS.api.routes(app.services).filter(({ isHistory }) => isHistory);
  expect(routes.length).toBeGreaterThanOrEqual(17);
  for (const { path } of routes) {
    const asked = path.replace('{betId}', betId).replace('{username}', player.username);
    const before = await countsOf(app);
    const { status, text } = await player.call('GET', asked);
    expect([path, status, text.slice(0, 300)]).toEqual([
      path,
      expect.toSatisfy((s) => s === 200 || s === 404),
      expect.anything(),
    ]);
    const after = await countsOf(app);
    expect([path, after.replica - before.replica, after.primary - before.primary]).toEqual([path, 1, 0]);
  }
});

test('shows players each of their bets immediately, whichever process serves the read', async () => {
  await isUsed();
  const [first, second] = apps;
  const before = await countsOf(second);
  const players = await Promise.all([1, 2, 3, 4].map(() => first.newPlayer({ usdt: 1000 })));
  await Promise.all(
    players.map(async (player) => {
      for (let bets = 1; bets <= 50; bets++) {
        expect((await betOnDice(player)).status).toBe(201);
        const [here, there] = await Promise.all([totalAt(first, player), totalAt(second, player)]);
        expect([bets, here, there]).toEqual([bets, bets, bets]);
      }
    }),
  );
  const after = await countsOf(second);
  expect(after.replica - before.replica).toBeGreaterThan(100);
});

test('never shows fewer bets than before while bets are placed and the replica stalls', async () => {
  await isUsed();
  const [first, second] = apps;
  const player = await first.newPlayer({ usdt: 1000 });
  let [acknowledged, isOver] = [0, false];
  const bet = async () => {
    for (let i = 0; i < 80; i++) {
      expect((await betOnDice(player)).status).toBe(201);
      acknowledged++;
      await sleep(20);
    }
    isOver = true;
  };
  const stall = async () => {
    while (!isOver) {
      await standby.pause();
      await sleep(300);
      await standby.resume();
      await sleep(1500);
    }
  };
  let seen = 0;
  const read = async () => {
    for (let i = 0; !isOver; i++) {
      const least = Math.max(seen, acknowledged);
      const total = await totalAt(i % 2 ? first : second, player);
      expect(total).toBeGreaterThanOrEqual(least);
      seen = Math.max(seen, total);
      await sleep(10);
    }
  };
  await Promise.all([bet(), stall(), read(), read()]);
  expect(await totalAt(second, player)).toBe(80);
});

test('skips a replica that does not catch up in time, and waits for it only once', async () => {
  await isUsed();
  const [app] = apps;
  const player = await app.newPlayer({ usdt: 100 });
  await standby.pause();
  try {
    expect((await betOnDice(player)).status).toBe(201);
    expect(await totalAt(app, player)).toBe(1);
    const began = performance.now();
    for (let i = 0; i < 5; i++) expect(await totalAt(app, player)).toBe(1);
    expect(performance.now() - began).toBeLessThan(WAIT_MS);
  } finally {
    await standby.resume();
  }
});

test('serves all reads while the replica stops, is down and returns', async () => {
  await isUsed();
  const [app] = apps;
  const player = await app.newPlayer({ usdt: 100 });
  expect((await betOnDice(player)).status).toBe(201);
  let isOver = false;
  let reads = 0;
  const read = async () => {
    for (; !isOver; reads++) expect(await totalAt(app, player)).toBe(1);
  };
  const reading = Promise.all([read(), read(), read(), read()]);
  await sleep(300);
  await standby.stop();
  await sleep(1500);
  await standby.start();
  await isUsed();
  const before = await countsOf(app);
  await sleep(500);
  isOver = true;
  await reading;
  expect(reads).toBeGreaterThan(50);
  expect((await countsOf(app)).replica).toBeGreaterThan(before.replica);
});

test('moves reads of bet lists from the primary to the replica', async () => {
  await isUsed();
  const [app] = apps;
  const player = await app.newPlayer({ usdt: 100 });
  for (let i = 0; i < 10; i++) await betOnDice(player);
  const scans = async () => {
    // PostgreSQL reports a connection's statistics once it has been idle for a second.
    await sleep(2500);
    const { rows } = await app.sql<{ n: number }>`
      select sum(seq_scan + coalesce(idx_scan, 0))::float8 as n from pg_stat_user_tables where relname like 'bets%'`.execute(
      app.db,
    );
    return rows[0]!.n;
  };
  const costOf = async (of: TestApp) => {
    const before = await scans();
    for (let i = 0; i < 100; i++) await totalAt(of, player);
    return (await scans()) - before;
  };
  const [without, with_] = [await costOf(plain), await costOf(app)];
  expect(without).toBeGreaterThanOrEqual(100);
  expect(with_).toBeLessThan(without / 10);
});

test('rejects a route declared as history if it is not a GET, has side effects or is for staff', () => {
  const history = {
    method: 'GET',
    path: '/x',
    tag: 'X',
    summary: 'X',
    access: 'auth',
    status: 200,
    isHistory: true,
    handler: () => undefined,
  } as const;
  expect(() => assertRoutes([history])).not.toThrow();
  for (const wrong of [
    { ...history, method: 'POST', gate: 'none' },
    { ...history, hasSideEffect: true },
    { ...history, access: { permission: 'user.read' } },
  ] as const)
    expect(() => assertRoutes([wrong])).toThrow('sets isHistory but is not a read-only GET');
});
