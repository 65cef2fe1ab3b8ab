import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorker } from '../src/app/worker.ts';
import { betOnDice, type Player, startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { startPrimary } from './kit/processes/replica.ts';
import { until } from './kit/until.ts';

const LANES = 2;
/**
 * The maximum number of waiting commits: two for each lane, one small write by each process, and twice the worker's open job transactions.
 * The second commit of a lane begins before the lane detects that nothing commits.
 */
const MOST_WAITING = 2 * LANES + 2 + 2 * 8;
let app: TestApp;
let worker: TestApp;
let admin: pg.Client;
let players: Player[];

const primary = fixture(startPrimary);
// The test counts the log lines of an outage, so each attempt begins with new processes.
beforeEach(async () => {
  const env = { LOG_LEVEL: 'info', BET_LANES: String(LANES), GAME_PROVIDERS: '[]' };
  app = await startApp({ database: primary.database, env });
  worker = await startApp({ part: 'worker', database: primary.database, env });
  players = await Promise.all(Array.from({ length: 4 }, () => app.newPlayer({ usdt: 100 })));
  admin = new pg.Client({ connectionString: primary.url });
  await admin.connect();
});
afterEach(async () => {
  await admin?.end();
  await worker?.stop();
  await app?.stop();
});

/** Makes commits, but not reads, wait for a standby that does not exist. */
async function waitFor(standby: string): Promise<void> {
  await admin.query(`alter system set synchronous_standby_names = '${standby}'`);
  await admin.query('select pg_reload_conf()');
}
const waiting = async () => {
  const { rows } = await admin.query(
    "select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep' and application_name like 'croupier %'",
  );
  return rows[0].n as number;
};
const readiness = (one: TestApp) => one.call('GET', '/health/ready');
const said = (one: TestApp, text: string) => one.lines.filter((line) => line.includes(text));
const BEGINS = 'an outage begins';
const TOLD = new Set(['the outcome of a batch is unknown']);
const OVER = 'the outage is over';

test('returns 503 for readiness and bets while the primary responds but does not commit, then recovers', async () => {
  const jobs = startWorker(worker.services, primary.url);
  try {
    for (const one of [app, worker]) expect((await readiness(one)).status).toBe(200);
    for (const player of players) expect((await betOnDice(player)).status).toBe(201);
    await waitFor('nobody');
    await until(async () => (await readiness(app)).status === 503);
    const { body } = await readiness(app);
    expect(Object.keys(body.error)).toEqual(['commits']);
    expect(body.info.database).toMatchObject({ status: 'up' });
    // Readiness normally responds within the commit timeout. It responds immediately if a write has already been waiting longer.
    const began = performance.now();
    await readiness(app);
    expect(performance.now() - began).toBeLessThan(500);
    expect((await players[0]!.call('GET', '/user/me')).status).toBe(200);

    const key = { 'idempotency-key': randomUUID() };
    const answers = [];
    const end = performance.now() + 14_000;
    while (performance.now() < end) {
      answers.push(await betOnDice(players[0]!, {}, key));
      answers.push(...(await Promise.all(players.slice(1).map((player) => betOnDice(player)))));
      await sleep(100);
    }
    for (const { status, headers } of answers)
      expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    // Sessions that wait for their commit are never cancelled, and their number does not grow.
    expect(await waiting()).toBeLessThanOrEqual(MOST_WAITING);
    await waitFor('');
    await allReady();
    const again = await betOnDice(players[0]!, {}, key);
    expect(again.status).toBe(201);
    for (const one of [app, worker]) {
      expect(said(one, BEGINS)).toHaveLength(1);
      expect(said(one, OVER)).toHaveLength(1);
      expect(JSON.parse(said(one, OVER)[0]!).seconds).toBeGreaterThan(5);
      // Apart from the outage, the log contains only errors about unknown outcomes, which have to be investigated.
      const errors = one.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
      expect(new Set(errors.map(({ msg }) => msg)).difference(TOLD)).toEqual(new Set());
      expect(errors.length).toBeLessThanOrEqual(2 * LANES);
    }
  } finally {
    await waitFor('');
    await jobs.close();
  }
});

const allReady = () =>
  until(async () => (await readiness(app)).status === 200 && (await readiness(worker)).status === 200);
