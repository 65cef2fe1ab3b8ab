import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './crash/client.ts';
import { createPlayers, type LoadPlayer } from './crash/load.ts';
import { childrenOf, inherited, isAlive, isGone, partEnv, send } from './crash/processes.ts';

const CROUPIER = fileURLToPath(new URL('../src/bin/croupier.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'croupier-supervisor-'));
chmodSync(folder, 0o755);
/** Starting five processes takes a long time, so these tests use the same platform and run one after the other. */
let platform: Started;
let player: LoadPlayer;

beforeAll(async () => {
  platform = await start();
  player = (await createPlayers(platform.api, [25]))[0]!;
});

afterAll(async () => {
  if (isAlive(platform.process.pid!)) await ended(platform.process, 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

test('shares the running database with a second platform on the same data', async () => {
  const second = await start();
  expect(second.postgres).toBe(platform.postgres);
  expect(await ended(second.process, 'SIGTERM')).toBe(0);
  expect((await call('GET', `${platform.api}/health`)).status).toBe(200);
  expect(await balances()).toMatchObject([{ currencyId: 'USDT', amount: '25' }]);
});

test('reports the setting of a port that is in use', async () => {
  const { process, said } = run({ BACKOFFICE_PORT: new URL(platform.api).port });
  expect(await ended(process)).toBe(1);
  expect(said()).toContain('is in use: stop the program that listens on it, or set BACKOFFICE_PORT');
  expect((await call('GET', `${platform.api}/health`)).status).toBe(200);
});

test('ends all services when npm start is killed, and keeps the data for the next start', async () => {
  await ended(platform.process, 'SIGKILL');
  for (const pid of platform.parts) await isGone(pid);
  platform = await start();
  expect(await balances()).toMatchObject([{ currencyId: 'USDT', amount: '25' }]);
});

test('stops every service and the database when one service dies, and makes npm start fail', async () => {
  send(platform.parts[2]!, 'SIGKILL');
  expect(await ended(platform.process)).toBe(1);
  expect(platform.said()).toMatch(/(backoffice|realtime|worker|sandbox) ended \(SIGKILL\); stopping/);
  expect([...platform.parts, platform.postgres].filter(isAlive)).toEqual([]);
});

test('keeps its services running for SHUTDOWN_DRAIN_MS before it stops them', async () => {
  const draining = await start({ SHUTDOWN_DRAIN_MS: '5000', SHUTDOWN_MS: '1000' });
  const end = ended(draining.process, 'SIGTERM');
  // The supervisor must not kill its parts during the drain, which lasts longer than SHUTDOWN_MS.
  await sleep(3000);
  expect((await call('GET', `${draining.api}/currency`)).status).toBe(200);
  expect(await end).toBe(0);
});

test('leaves no PostgreSQL process running when a start fails or is interrupted', async () => {
  const own = mkdtempSync(join(tmpdir(), 'croupier-failed-start-'));
  chmodSync(own, 0o755);
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    const failed = run({ DATA_DIR: own, WORKER_PORT: String((taken.address() as AddressInfo).port) });
    expect(await ended(failed.process)).toBe(1);
    expect(failed.said()).toContain('set WORKER_PORT');
    expect(failed.said()).not.toContain('shutdown timed out before all work finished');
    expect(existsSync(join(own, 'postgres/PG_VERSION'))).toBe(true);
    expect(existsSync(join(own, 'postgres/postmaster.pid'))).toBe(false);
    const interrupted = run({ DATA_DIR: own });
    while (!existsSync(join(own, 'postgres/postmaster.pid'))) await sleep(20);
    await ended(interrupted.process, 'SIGTERM');
    expect(existsSync(join(own, 'postgres/postmaster.pid'))).toBe(false);
  } finally {
    taken.close();
    rmSync(own, { recursive: true, force: true });
  }
}, 240_000);

const balances = async () =>
  (await call('GET', `${platform.api}/accounting/balances`, { token: player.token })).body;

type Started = {
  process: ChildProcess;
  said: () => string;
  api: string;
  parts: number[];
  postgres: number;
};

function run(env: Record<string, string> = {}): { process: ChildProcess; said: () => string } {
  const { DATABASE_URL: _, ...settings } = partEnv('');
  const child = spawn(process.execPath, [CROUPIER, 'start'], {
    env: { ...inherited(), ...settings, SANDBOX_PORT: '0', DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return { process: child, said: () => text };
}

/** Runs npm start. Resolves once it is ready. */
async function start(env: Record<string, string> = {}): Promise<Started> {
  const { process, said } = run(env);
  const api = await new Promise<string>((resolve, reject) => {
    process.stdout!.on('data', () => {
      const ready = /^ready {2}main API (\S+) /m.exec(said());
      if (ready) resolve(ready[1]!);
    });
    process.once('exit', () => reject(new Error(`npm start ended: ${said()}`)));
  });
  const postgres = postmaster();
  const parts = childrenOf(process.pid!).filter((pid) => pid !== postgres);
  return { process, said, api, parts, postgres };
}

const postmaster = () => Number.parseInt(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8'), 10);

/** Returns the exit code or signal of the supervisor. The test checks which processes are still running. */
async function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<number | string | null> {
  const exit = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, by) => resolve(by ?? code)),
  );
  if (signal) child.kill(signal);
  return exit;
}
