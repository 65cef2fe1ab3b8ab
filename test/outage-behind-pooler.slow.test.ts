import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { get } from './crash/probe.ts';
import { times } from './kit/length.ts';
import { type Cluster, startCluster } from './kit/processes/cluster.ts';
import { hasPgbouncer, startPgbouncer } from './kit/processes/pgbouncer.ts';

/**
 * Duration of the outage. The test reproduces an outage in production that lasted half an hour, as in the long form. On every push, twenty
 * seconds are enough, because the behaviour then only repeats.
 */
const AWAY_MS = times('POOLER_AWAY_SECONDS', 20, 1800) * 1000;
/** Duration of a login on a busy machine. The pooler runs logins one after the other, even if the client has disconnected. */
const LOGIN_MS = 250;
/** Timeout until all processes must be ready. All their logins together take a quarter of it. */
const READY_MS = 60_000;
/**
 * Maximum number of connection attempts by a process: ten in the first second, then fewer. A fixed pause of half a second would cause one
 * and a half times as many.
 */
const ATTEMPTS = 10 + (1.5 * AWAY_MS) / 1000;

const NAMES = ['api-1', 'api-2', 'backoffice', 'realtime-1', 'realtime-2', 'worker-1', 'worker-2'];
const dataDir = mkdtempSync(join(tmpdir(), 'croupier-pooler-'));
let isBusy = false;
let logins = Promise.resolve();
const login = () => {
  logins = logins.then(() => (isBusy ? sleep(LOGIN_MS) : undefined));
  return logins;
};
let postgres: EmbeddedPostgres;
let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
let cluster: Cluster;
const startPostgres = async () => {
  postgres = await startEmbeddedPostgres({ dataDir, durable: false, settings: { max_connections: '250' } });
};

// CI installs pgbouncer before the tests, so the tests fail there if it is missing.
describe.skipIf(!hasPgbouncer && !process.env.CI)('PgBouncer in session mode', () => {
  beforeAll(async () => {
    await startPostgres();
    pooler = await startPgbouncer(postgres.url, {
      pool_mode: 'session',
      default_pool_size: '200',
      server_login_retry: '1',
    });
    cluster = await startCluster({ database: { url: pooler.url }, proxied: NAMES, login });
  }, 120_000);
  afterAll(async () => {
    await cluster?.stopAll();
    await pooler?.stop();
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const ready = async (name: string) => {
    const page = name === 'backoffice' ? '/health' : '/health/ready';
    return (await get('health', cluster.urlOf(name) + page)).status;
  };
  const accepted = () => NAMES.map((name) => cluster.proxyOf(name).accepted());

  test(
    'allows seven idle processes to reconnect after an outage, even when logins are slow',
    async () => {
      // After they start, processes store compiled code, which may take some time.
      await sleep(3000);
      await expect.poll(() => Promise.all(NAMES.map(ready))).toEqual(NAMES.map(() => 200));
      await postgres.stop();
      isBusy = true;
      await sleep(2000);
      const before = accepted();
      await sleep(AWAY_MS);
      expect(await Promise.all(NAMES.map(ready))).toEqual(NAMES.map(() => 503));
      const attempts = accepted().map((count, i) => count - before[i]!);
      console.log(`attempts while the database was away: ${attempts}`);
      expect(Math.max(...attempts)).toBeLessThanOrEqual(ATTEMPTS);

      await startPostgres();
      const began = performance.now();
      const waiting = new Set(NAMES);
      while (waiting.size > 0 && performance.now() - began < READY_MS) {
        for (const name of waiting) if ((await ready(name)) === 200) waiting.delete(name);
        await sleep(100);
      }
      console.log(`ready after ${Math.round(performance.now() - began)} ms`);
      expect([...waiting]).toEqual([]);
      expect(cluster.strayExits).toEqual([]);
    },
    220_000 + AWAY_MS,
  );
});
