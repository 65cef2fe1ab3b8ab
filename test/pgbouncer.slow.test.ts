import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { startWorker } from '../src/app/worker.ts';
import { createJobLocks } from '../src/platform/jobs/locks.ts';
import { silentLog } from '../src/platform/observability/log.ts';
import { betOnDice, startApp } from './kit/app.ts';
import { createTestDatabase } from './kit/database.ts';
import { fixture } from './kit/fixture.ts';
import { hasPgbouncer, startPgbouncer } from './kit/processes/pgbouncer.ts';
import { until } from './kit/until.ts';

const MISSING = 'pgbouncer is not installed (Debian: apt-get install pgbouncer)';
if (!hasPgbouncer) console.warn(`skipped: ${MISSING}`);

const database = fixture(createTestDatabase);
const ask = async (text: string) => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

// CI installs pgbouncer before the tests, so the tests fail there if it is missing.
describe.skipIf(!hasPgbouncer && !process.env.CI)('PgBouncer', () => {
  test('supports bets, LISTEN, locks and timeouts in session mode, and recovers when it is killed', async () => {
    const pooler = await startPgbouncer(database.url, { pool_mode: 'session' });
    const start = (part: 'api' | 'worker') => startApp({ part, database, databaseUrl: pooler.url });
    const api = await start('api');
    const worker = await start('worker');
    const jobs = startWorker(worker.services, pooler.url);
    try {
      const player = await api.newPlayer({ usdt: 1000 });
      for (let i = 0; i < 50; i++) expect((await betOnDice(player)).status).toBe(201);
      const rows = await api.sql<{ statement_timeout: string }>`show statement_timeout`.execute(api.db);
      expect(rows.rows).toEqual([{ statement_timeout: '2500ms' }]);

      let heard = 0;
      await api.services.databaseClock.onNotice('of_the_test', () => heard++);
      for (let i = 0; i < 5; i++) await ask('notify of_the_test');
      await until(() => heard === 5);

      const locks = [1, 2].map(() => createJobLocks({ connectionString: pooler.url }, silentLog));
      const ran: string[] = [];
      await locks[0]!.during('one', async () => {
        ran.push('first');
        await locks[1]!.during('one', async () => void ran.push('second'));
      });
      expect(ran).toEqual(['first']);
      for (const lock of locks) await lock.close();

      await pooler.kill();
      await until(async () => (await api.call('GET', '/health/ready')).status === 503);
      expect((await betOnDice(player)).status).toBe(503);
      await pooler.start();
      await until(async () => (await api.call('GET', '/health/ready')).status === 200);
      await until(async () => (await betOnDice(player)).status === 201);
      await ask('notify of_the_test');
      await until(() => heard === 6);
      const others = [...api.lines, ...worker.lines].filter((line) => /prepared statement/.test(line));
      expect(others).toEqual([]);
    } finally {
      await jobs.close();
      await worker.stop();
      await api.stop();
      await pooler.stop();
    }
  });

  test.each([
    ['by transaction', { pool_mode: 'transaction' }],
    ['by transaction, one server', { pool_mode: 'transaction', default_pool_size: '1' }],
    ['by transaction, servers in turn', { pool_mode: 'transaction', server_round_robin: '1' }],
    ['by statement', { pool_mode: 'statement' }],
  ])('refuses to start with %s, explains how to fix it and writes nothing', async (_, settings) => {
    const pooler = await startPgbouncer(database.url, settings);
    const own = new pg.Client({ connectionString: pooler.url });
    try {
      // Another session is connected already, as when a process starts while others run.
      await own.connect();
      await own.query('select 1');
      const before = await ask('select * from commit_probes');
      const starting = startApp({ database, databaseUrl: pooler.url });
      await expect(starting).rejects.toThrow(/in transaction or statement mode\. Set pool_mode=session/);
      expect(await ask('select * from commit_probes')).toEqual(before);
    } finally {
      await own.end();
      await pooler.stop();
    }
  });
});
