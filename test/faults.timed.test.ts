import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { compare, countLanded } from './crash/check.ts';
import { keepAlive } from './crash/client.ts';
import { type Attempt, bet, type LoadPlayer, resolveUnknown } from './crash/load.ts';
import { type Answer, createProber, type Prober } from './crash/probe.ts';
import { SEED_SECRET } from './crash/processes.ts';
import { startApp, type TestApp } from './kit/app.ts';
import { type FaultProxy, startFaultProxy } from './kit/processes/fault-proxy.ts';
import { freePorts } from './kit/processes/ports.ts';

/** A separate server, because these tests break it. */
let postgres: EmbeddedPostgres;
let proxy: FaultProxy;
let app: TestApp;
let players: LoadPlayer[];
let history: Attempt[];
let prober: Prober;
const agent = keepAlive();
const dataDir = mkdtempSync(join(tmpdir(), 'croupier-faults-'));

beforeAll(async () => {
  const [port] = (await freePorts(1)) as [number];
  postgres = await startEmbeddedPostgres({ dataDir, port, durable: false, database: 'test' });
  proxy = await startFaultProxy({ target: { host: '127.0.0.1', port } });
});

beforeEach(async () => {
  const database = { name: 'test', url: postgres.url, drop: async () => {} };
  const databaseUrl = `postgres://croupier@127.0.0.1:${proxy.port}/test`;
  app = await startApp({ database, databaseUrl, env: { SEED_SECRET } });
  players = await Promise.all(Array.from({ length: 12 }, () => app.newPlayer({ usdt: 100_000 })));
  history = [];
  prober = createProber(app.url, players, history);
  // Opens connections and caches seeds, as in a service that has been running for some time.
  for (let i = 0; i < 2; i++) await Promise.all(players.map(prober.bet));
  expect(history.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
});

/** Checks that acknowledged bets exist, rejected bets do not, and the books are consistent. */
afterEach(async () => {
  proxy.mode('pass');
  try {
    await resolveUnknown(history, { targets: () => [app.url], players });
    const { missing, wrong } = await compare(app.db, history);
    expect([...missing, ...wrong], app.lines.filter((l) => l.includes('request failed')).join('\n')).toEqual(
      [],
    );
    await app.assertInvariants();
  } finally {
    await app.stop();
  }
});

afterAll(async () => {
  await proxy.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('returns 503 within 3 s when the database stops responding, and recovers within 2 s', async () => {
  proxy.mode('black-hole');
  const answers = await prober.run(7000);
  proxy.mode('pass');
  const healedMs = await prober.untilAlive();
  expectUnavailable(answers, 5000);
  expect(healedMs).toBeLessThanOrEqual(2000);
});

test('responds to every request when the database needs 200 ms per packet', async () => {
  proxy.mode({ delayMs: 200 });
  const answers = await prober.run(3000);
  expect(answers.length).toBeGreaterThan(20);
  expect(answers.filter(({ status, ms }) => status >= 300 || ms > 3000)).toEqual([]);
});

test('reports a bet as unknown and stores it when the response to COMMIT is lost', async () => {
  for (let round = 0; round < 3; round++) {
    const player = players[round]!;
    // A single bet of a cached player is sent in one round trip, so that only the response to its COMMIT is lost.
    const alone = async (n: number) => {
      const attempt = await bet({
        url: app.url,
        agent,
        player,
        tag: `lost-${player.id}-${n}`,
        key: undefined,
      });
      history.push(attempt);
      return attempt;
    };
    for (let n = 0; n < 2; n++) expect(await alone(n)).toMatchObject({ outcome: 'ok' });
    proxy.mode('drop-reply');
    expect(await alone(2)).toMatchObject({ said: '503 BET_OUTCOME_UNKNOWN' });
    proxy.mode('pass');
    // After 200 ms, the proxy closes the other connections whose responses were lost.
    await sleep(300);
    await prober.untilAlive();
  }
  expect(await countLanded(app.db, history)).toBe(3);
});

/**
 * Checks that no request hangs and that all fail with 503 and Retry-After. Health must report the outage within `healthMs` and until its
 * end.
 */
function expectUnavailable(answers: readonly Answer[], healthMs: number): void {
  const asked = answers.filter(({ what }) => what !== 'health');
  expect(asked.length).toBeGreaterThan(20);
  expect(asked.filter(({ status, retryAfter, ms }) => status !== 503 || !retryAfter || ms > 3500)).toEqual(
    [],
  );
  const health = answers.filter(({ what }) => what === 'health');
  const down = health.find(({ status }) => status === 503);
  expect(down?.startedMs).toBeLessThanOrEqual(healthMs);
  expect(health.filter(({ status, startedMs }) => startedMs >= down!.startedMs && status !== 503)).toEqual(
    [],
  );
}
