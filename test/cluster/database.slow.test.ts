import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Attempt, createPlayers, type LoadPlayer, seeded, startLoad } from '../crash/load.ts';
import { type Answer, createProber, get, type Prober } from '../crash/probe.ts';
import {
  expectNothingLost,
  type Platform,
  startPlatform,
  tellOnFailure,
  times,
  together,
  underLoad,
} from './platform.ts';

const PAUSES = times('CLUSTER_PAUSES', 1);
const CUTS = times('CLUSTER_CUTS', 4);
/** A second is asked of a machine that does nothing else (CLUSTER_QUIET=true). */
const HEALED_MS = process.env.CLUSTER_QUIET === 'true' ? 1000 : 3000;
const DISK_MB = 512;
const CLIENTS = 16;
/** Three seconds, and what a busy machine adds. */
const WITHIN_MS = 3500;

/** A small disk of its own for the data, where this machine lets us make one. */
const disk = mkdtempSync(join(tmpdir(), 'croupier-disk-'));
const BALLAST = join(disk, 'ballast');
const isMounted = mount();

let platform: Platform;
let players: LoadPlayer[];
let prober: Prober;
/** Of the whole file: what was acknowledged in one test must be there after the last. */
const history: Attempt[] = [];
tellOnFailure(() => platform);

beforeAll(async () => {
  platform = await startPlatform({
    ownPostgres: true,
    proxied: ['api-1'],
    postgres: {
      ...(isMounted && { dataDir: join(disk, 'postgres') }),
      settings: { max_wal_size: '96MB', min_wal_size: '32MB', shared_buffers: '64MB' },
    },
  });
  const { cluster } = platform;
  players = await createPlayers(cluster.balanced('api'), Array(24).fill(100_000));
  prober = createProber(cluster.balanced('api'), players, history);
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  if (isMounted) execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

const load = (name: string) =>
  startLoad({
    targets: () => [platform.cluster.balanced('api')],
    players,
    clients: CLIENTS,
    hot: 4,
    random: seeded(4),
    name,
  });

/** The status that each process answers with when asked whether it is ready. */
const readiness = () =>
  Promise.all(
    platform.cluster.names
      // The backoffice has one page of health alone.
      .map((name) => `${platform.cluster.urlOf(name)}/health${name === 'backoffice' ? '' : '/ready'}`)
      .map(async (url) => (await get('health', url)).status),
  );
const everyProcess = (status: number) => platform.cluster.names.map(() => status);
/** Milliseconds until every process says that it is ready. */
async function untilReady(): Promise<number> {
  const began = performance.now();
  while ((await readiness()).some((status) => status !== 200)) {
    if (performance.now() - began > 20_000) throw new Error(`still ${await readiness()}`);
    await sleep(20);
  }
  return performance.now() - began;
}

test(`F03 PostgreSQL is paused for 5 s, ${PAUSES} times: 503 within 3 s from everybody, all is well within ${HEALED_MS} ms after it goes on`, async () => {
  const { cluster } = platform;
  const healed: number[] = [];
  const allAreDown = async () => {
    await sleep(4000);
    expect(await readiness()).toEqual(everyProcess(503));
  };
  for (let i = 0; i < PAUSES; i++) {
    for (let n = 0; n < 2; n++) await Promise.all(players.map(prober.bet));
    cluster.pause('postgres');
    const [answers] = await together(prober.run(5000), allAreDown()).finally(() =>
      cluster.resume('postgres'),
    );
    const healedMs = await prober.untilAlive();
    await untilReady();
    expectUnavailable(answers);
    healed.push(healedMs);
  }
  // A machine that is slow for a moment is not the platform: it heals so fast in most of its tries.
  const usual = healed.sort((a, b) => a - b)[Math.floor((healed.length - 1) / 2)]!;
  console.log(`all is well after ${healed.map(Math.round)} ms`);
  expect(usual).toBeLessThanOrEqual(HEALED_MS);
  await expectNothingLost(platform, history, players);
}, 300_000);

test(`F04 every connection is cut, ${CUTS} times in as many seconds: few bets fail, each is made as it was answered, no process ends`, async () => {
  const running = load('cut');
  const admin = new pg.Client({ connectionString: platform.cluster.databaseUrl() });
  let cut = 0;
  await underLoad(running, history, async () => {
    await admin.connect();
    for (let i = 0; i < CUTS; i++) {
      await sleep(1000);
      const { rowCount } = await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`);
      cut += rowCount!;
    }
    await sleep(500);
  }).finally(() => admin.end());
  const failed = running.history.filter(({ outcome }) => outcome !== 'ok');
  expect(running.history.length).toBeGreaterThan(10 * CUTS);
  // What was under way when it was cut, and nothing after it.
  expect(failed.length).toBeLessThanOrEqual(CUTS * CLIENTS);
  // Seven processes with at least a database clock each.
  expect(cut).toBeGreaterThanOrEqual(7 * CUTS);
  await untilReady();
  await expectNothingLost(platform, history, players);
}, 120_000);

test('a process that is cut off from the database is left out: the other one serves, and nobody waits', async () => {
  const { cluster } = platform;
  const running = load('apart');
  let apart: Attempt[] = [];
  await underLoad(running, history, async () => {
    await sleep(500);
    try {
      cluster.proxyOf('api-1').mode('black-hole');
      await expect.poll(() => cluster.serving('api'), { timeout: 6000 }).toEqual([cluster.urlOf('api-2')]);
      const from = running.history.length;
      await sleep(3500);
      apart = running.history.slice(from);
    } finally {
      cluster.proxyOf('api-1').mode('pass');
    }
    await expect.poll(() => cluster.serving('api').length, { timeout: 6000 }).toBe(2);
  });
  expect(apart.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(50);
  expect(Math.max(...running.history.map(({ ms }) => ms))).toBeLessThan(4000);
  await expectNothingLost(platform, history, players);
}, 60_000);

test.skipIf(!isMounted)(
  'F07 the disk is full: 503, nothing acknowledged is lost, and it goes on once there is room',
  async () => {
    const { cluster } = platform;
    const running = load('full');
    const refused = () => running.history.filter(({ said }) => said.startsWith('503')).length;
    await underLoad(running, history, async () => {
      await sleep(500);
      try {
        fill();
        await expect.poll(refused, { timeout: 60_000, interval: 100 }).toBeGreaterThan(20);
        expect(await get('read', `${cluster.urlOf('api-1')}/health/live`)).toMatchObject({ status: 200 });
      } finally {
        rmSync(BALLAST, { force: true });
        // A server that could not even write what it needs to recover has ended; whoever keeps it starts it again.
        await sleep(1000);
        await cluster.heal();
      }
      await untilReady();
      await prober.untilAlive();
    });
    expect(running.history.filter(({ said }) => said.startsWith('500'))).toEqual([]);
    await expectNothingLost(platform, history, players);
  },
  180_000,
);

/** Nothing hangs, nothing but 503 with Retry-After; the health of either API has noticed in time and stays down. */
function expectUnavailable(answers: readonly Answer[]): void {
  const asked = answers.filter(({ what }) => what !== 'health');
  expect(asked.length).toBeGreaterThan(20);
  expect(
    asked.filter(({ status, retryAfter, ms }) => status !== 503 || !retryAfter || ms > WITHIN_MS),
  ).toEqual([]);
  const health = answers.filter(({ what, startedMs }) => what === 'health' && startedMs > WITHIN_MS);
  expect(health.length).toBeGreaterThan(0);
  expect(health.filter(({ status }) => status !== 503)).toEqual([]);
}

function mount(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', disk], {
      stdio: 'ignore',
    });
    chmodSync(disk, 0o755);
    return true;
  } catch {
    return false;
  }
}

/** Writes until nothing more fits. */
function fill(): void {
  for (let size = 32 * 1024 * 1024; size >= 4096; size = Math.floor(size / 2)) {
    const free = () => statfsSync(disk).bavail * statfsSync(disk).bsize;
    while (free() >= size) writeFileSync(BALLAST, Buffer.alloc(size), { flag: 'a' });
  }
}
