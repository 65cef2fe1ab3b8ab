import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compare, withDb } from './crash/check.ts';
import { type Attempt, createPlayers } from './crash/load.ts';
import { createProber, get } from './crash/probe.ts';
import {
  endOf,
  type PartProcess,
  partEnv,
  residentBytes,
  send,
  startPartProcess,
} from './crash/processes.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';
import { waiters } from './kit/games/turns.ts';
import { until } from './kit/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-pool-'));
let part: PartProcess;

const database = fixture(createTestDatabase);
beforeAll(async () => {
  const env = {
    ALLOW_UNSAFE_DATABASE: 'true',
    // Only the connection timeout keeps its usual value. On a busy machine, the other timeouts would abort requests that this test needs.
    DATABASE_STATEMENT_TIMEOUT_MS: '100000',
    BET_DEADLINE_MS: '20000',
    // There is no limit for each player, because three players must be able to exhaust the pool.
    USER_CALLS_AT_ONCE: '0',
    // The young generation of the heap is fixed, because its growth under load would hide a memory leak.
    NODE_OPTIONS: '--max-semi-space-size=4',
  };
  part = await startPartProcess('api', { env: partEnv(database.url, env), logFile: join(folder, 'api.log') });
});

afterAll(async () => {
  send(part.pid, 'SIGTERM');
  await endOf(part);

  rmSync(folder, { recursive: true, force: true });
});

test('returns 503 in time while the pool is exhausted, and serves bets and health without growing memory use', async () => {
  const history: Attempt[] = [];
  const own = await createPlayers(part.url, [100, 100, 100]);
  const its = createProber(part.url, own, history);
  // Uses an operation with one statement per call. Concurrent reads of profiles would share one statement.
  const read = (i: number) => get('read', `${part.url}/notifications`, own[i % own.length]!.token, 120_000);
  for (const player of own) expect(await its.bet(player)).toMatchObject({ outcome: 'ok' });
  const unlock = await lockNotifications();
  const holders = Array.from({ length: 8 }, (_, i) => read(i).then(({ status }) => status, String));
  const health = its.watchHealth();
  let healthMs: number[];
  const sizes: number[] = [];
  const slowest: number[] = [];
  try {
    await withDb(database.url, (db) => until(async () => (await waiters({ db })) === holders.length));
    for (const player of own) {
      const asked = Promise.all(Array.from({ length: 500 }, (_, i) => read(i)));
      const betting = sleep(500).then(() => its.bet(player));
      const [answers, attempt] = await Promise.all([asked, betting]);
      expect(attempt.said).toBe('201');
      expect(answers.filter((a) => a.status !== 503 || !a.retryAfter)).toEqual([]);
      slowest.push(Math.max(...answers.map(({ ms }) => ms)));
      sizes.push(residentBytes(part.pid));
    }
  } finally {
    await unlock();
    healthMs = await health.stop();
  }
  expect(await Promise.all(holders)).toEqual(Array(8).fill(200));
  // Compares the best of three bursts, because other programs on the machine may delay some of them.
  expect(Math.min(...slowest)).toBeLessThanOrEqual(3500);
  expect(healthMs.length).toBeGreaterThan(50);
  expect(healthMs.sort((a, b) => a - b)[Math.floor(healthMs.length / 2)]).toBeLessThanOrEqual(100);
  expect(sizes[2]! - sizes[0]!).toBeLessThan(48 * 2 ** 20);
  const { missing, wrong } = await withDb(database.url, (db) => compare(db, history));
  expect([...missing, ...wrong]).toEqual([]);
});

/** Makes every read of notifications wait until unlocked. */
async function lockNotifications(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin; lock table notifications in access exclusive mode');
  return () => client.end();
}
