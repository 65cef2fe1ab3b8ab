import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorker } from '../src/app/worker.ts';
import { startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { readPidFile } from '../src/platform/database/embedded/process.ts';
import { betOnDice, type Player, startApp, type TestApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { type FaultProxy, startFaultProxy } from './kit/processes/fault-proxy.ts';
import { type StandbyServer, startPrimary, startStandby } from './kit/processes/replica.ts';
import { until } from './kit/until.ts';

let standby: StandbyServer;
let proxy: FaultProxy;
let api: TestApp;
let worker: TestApp;
let jobs: ReturnType<typeof startWorker>;
let players: Player[];

const primary = fixture(startPrimary);
const elsewhere = fixture(startPrimary);
/** The address of the platform's database. Like the address of a proxy in front of a cluster, it always points to the current leader. */
const target = { path: '' };
const socketOf = (url: string) => `${/host=([^&]+)/.exec(url)![1]}/.s.PGSQL.5432`;

beforeAll(async () => {
  standby = await startStandby(primary);
  await query(primary.url, `alter system set synchronous_standby_names = 'standby'`);
  await query(primary.url, 'select pg_reload_conf()');
  target.path = socketOf(primary.url);
  proxy = await startFaultProxy({ target });
  const database = primary.database;
  const databaseUrl = `postgres://croupier@127.0.0.1:${proxy.port}/croupier`;
  const env = { LOG_LEVEL: 'info', DATABASE_READ_URL: standby.url, READ_MAX_LAG_MS: '2000' };
  api = await startApp({ database, databaseUrl, env });
  const required = { ...env, DATABASE_REPLICATION: 'required' };
  worker = await startApp({ part: 'worker', database, databaseUrl, env: required });
  jobs = startWorker(worker.services, databaseUrl);
  players = await Promise.all(Array.from({ length: 4 }, () => api.newPlayer({ usdt: 1000 })));
}, 240_000);
afterAll(async () => {
  await jobs?.close();
  await worker?.stop();
  await api?.stop();
  await proxy?.stop();
  await standby?.stop();
});

async function query(url: string, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Redirects the address and breaks every connection. */
function lead(to: string): void {
  target.path = socketOf(to);
  proxy.mode('reset');
  proxy.mode('pass');
}

/** Lets players bet until the caller stops them. Returns the ids of acknowledged bets, and all other responses. */
function startBets() {
  let isOver = false;
  const ids: string[] = [];
  const others: { status: number; retryAfter: string | null }[] = [];
  const loops = players.map(async (player) => {
    while (!isOver) {
      const { status, body, headers } = await betOnDice(player);
      if (status === 201) ids.push(body.betId);
      else others.push({ status, retryAfter: headers.get('retry-after') });
      await sleep(20);
    }
  });
  return {
    ids,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      return { ids, others };
    },
  };
}
const more = async ({ ids }: { ids: string[] }) => {
  const enough = ids.length + 20;
  await until(() => ids.length >= enough);
};

const readiness = (one: TestApp) => one.call('GET', '/health/ready');
const ready = () => until(async () => (await readiness(api)).status === 200);
const isError = (line: string) => line.includes('"level":"error"');
const said = (one: TestApp, text: string) => one.lines.filter((line) => line.includes(text)).length;
const complained = (one: TestApp, text: string) =>
  one.lines.filter((line) => isError(line) && line.includes(text)).length;
const metric = async (one: TestApp, name: string) => {
  const { text } = await one.call('GET', '/metrics');
  return Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
};
const storedOf = async (url: string) => {
  const [row] = await query(url, 'select count(*)::int as bets, max(id)::text as last from bets');
  return row;
};
const BEGINS = 'an outage begins';
const OVER = 'the outage is over';

test('returns 503 until the standby takes over, loses no acknowledged bet and recovers automatically', async () => {
  await until(() => api.services.replica!.isUsed());
  await until(async () => (await readiness(worker)).status === 200);
  const bets = startBets();
  await more(bets);
  proxy.mode('reset');
  process.kill((await readPidFile(join(primary.folder, 'data')))!.pid, 'SIGQUIT');
  await until(() => said(api, BEGINS) === 1 && said(worker, BEGINS) === 1);
  expect((await readiness(api)).status).toBe(503);
  await sleep(1500);
  // The replica is not used, because the primary's log position is unknown.
  await until(() => !api.services.replica!.isUsed());
  // A proxy may point to the standby before the standby is promoted.
  lead(standby.url);
  await sleep(500);
  await standby.ask('select pg_promote()');
  await ready();
  await more(bets);
  const { ids, others } = await bets.stop();
  expect(others.length).toBeGreaterThan(0);
  for (const other of others)
    expect(other).toEqual({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
  const stored = await query(standby.url, `select id::text from bets where id = any('{${ids}}')`);
  expect(stored).toHaveLength(ids.length);
  await until(() => said(worker, OVER) === 1);
  for (const one of [api, worker]) {
    expect([said(one, BEGINS), said(one, OVER)]).toEqual([1, 1]);
    expect([await metric(one, 'croupier_db_available'), await metric(one, 'croupier_db_behind')]).toEqual([
      1, 0,
    ]);
  }
  // Jobs and repeated tasks log only the outage and unknown outcomes. The sandbox is not running.
  const known = /outcome of a batch|could be lost|ECONNREFUSED/;
  expect([...api.lines, ...worker.lines].filter((line) => isError(line) && !known.test(line))).toEqual([]);
  // LISTEN must work again, because a setting that staff change reaches the other process by notification.
  await until(() => api.services.databaseClock.isUp() && worker.services.databaseClock.isUp());
  // The configured replica is now the primary, under another address.
  await until(() => api.services.replica!.isUsed());
});

test('reports a new leader without standbys as not ready when replication is required', async () => {
  const { status, body } = await readiness(worker);
  expect([status, Object.keys(body.error)]).toEqual([503, ['durability']]);
  expect(body.error.durability.problems[0]).toMatch(/^synchronous_standby_names is empty/);
  expect(said(worker, 'acknowledged commits could be lost')).toBe(1);
});

test('writes nothing to a former leader that restarts', async () => {
  const dataDir = join(primary.folder, 'data');
  const former = await startEmbeddedPostgres({ dataDir, durable: false });
  try {
    await query(former.url, `alter system set synchronous_standby_names = ''`);
    await query(former.url, 'select pg_reload_conf()');
    expect(await query(former.url, 'select pg_is_in_recovery() as standby')).toEqual([{ standby: false }]);
    const before = await storedOf(former.url);
    const bets = startBets();
    lead(former.url);
    await until(async () => (await metric(api, 'croupier_db_refused')) === 1);
    const { status, body } = await readiness(api);
    expect([status, body.error.primary?.problem]).toEqual([503, expect.stringMatching(/former primary/)]);
    await sleep(1000);
    expect(await storedOf(former.url)).toEqual(before);
    expect(complained(api, 'leads to a former primary')).toBe(1);
    lead(standby.url);
    await ready();
    await more(bets);
    const { others } = await bets.stop();
    expect(others.filter(({ status }) => status !== 503)).toEqual([]);
    expect(await metric(api, 'croupier_db_refused')).toBe(0);
  } finally {
    await former.stop();
  }
});

test('rejects a node of another cluster with one log line, and writes nothing to it', async () => {
  const before = await query(elsewhere.url, 'select * from commit_probes');
  lead(elsewhere.url);
  await until(async () => (await metric(api, 'croupier_db_refused')) === 1);
  expect((await betOnDice(players[0]!)).status).toBe(503);
  expect((await readiness(api)).body.error.primary.problem).toMatch(/another cluster/);
  expect(complained(api, 'leads to a node of another cluster')).toBe(1);
  expect(await query(elsewhere.url, 'select * from commit_probes')).toEqual(before);
  expect(await storedOf(elsewhere.url)).toMatchObject({ bets: 0 });
  lead(standby.url);
  await ready();
});

test('reports an error when the database returns in an earlier state, and accepts bets based on that state', async () => {
  const copy = `${standby.dataDir}-copy`;
  const swap = async (change: () => void) => {
    proxy.mode('reset');
    await standby.stop();
    change();
    await standby.start();
    lead(standby.url);
    await ready();
  };
  const clone = (from: string, to: string) => {
    rmSync(to, { recursive: true, force: true });
    // The copied files keep their owner, because PostgreSQL does not run as root.
    execFileSync('cp', ['-a', from, to]);
  };
  await swap(() => clone(standby.dataDir, copy));
  expect(await metric(api, 'croupier_db_behind')).toBe(0);
  for (const player of players) expect((await betOnDice(player)).status).toBe(201);
  // Positions are stored once a second.
  await sleep(1100);
  expect((await readiness(api)).status).toBe(200);
  await swap(() => clone(copy, standby.dataDir));
  await until(async () => (await metric(api, 'croupier_db_behind')) === 1);
  expect((await readiness(api)).body.error.primary).toMatchObject({ status: 'degraded' });
  expect(said(api, 'has lost acknowledged writes')).toBe(1);
  for (let i = 0; i < 5; i++)
    for (const player of players) expect((await betOnDice(player)).status).toBe(201);
});
