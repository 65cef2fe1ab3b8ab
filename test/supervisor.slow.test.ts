import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './crash/client.ts';
import { createPlayers, type LoadPlayer } from './crash/load.ts';
import { childrenOf, inherited, isAlive, isGone, partEnv, send } from './crash/processes.ts';

const START = fileURLToPath(new URL('../src/bin/start.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'croupier-supervisor-'));
chmodSync(folder, 0o755);
/** Five processes take their time to start, so that the tests here go on, one after the other, with what is running. */
let platform: Started;
let player: LoadPlayer;

beforeAll(async () => {
  platform = await start();
  player = (await createPlayers(platform.api, [25]))[0]!;
}, 60_000);

afterAll(async () => {
  if (isAlive(platform.process.pid!)) await ended(platform.process, 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

test('a second platform on the same data does not take the database from the first', async () => {
  const second = await start();
  expect(second.postgres).toBe(platform.postgres);
  expect(await ended(second.process, 'SIGTERM')).toBe(0);
  expect((await call('GET', `${platform.api}/health`)).status).toBe(200);
  expect(await balances()).toMatchObject([{ currencyId: 'USDT', amount: '25' }]);
}, 60_000);

test('a port that is taken is named with its setting', async () => {
  const { process, said } = run({ BACKOFFICE_PORT: new URL(platform.api).port });
  expect(await ended(process)).toBe(1);
  expect(said()).toContain('is taken: stop what listens there, or set BACKOFFICE_PORT');
  expect((await call('GET', `${platform.api}/health`)).status).toBe(200);
}, 60_000);

test('kill -9 of npm start: its parts end by themselves, and the next start has the data', async () => {
  await ended(platform.process, 'SIGKILL');
  for (const pid of platform.parts) await isGone(pid);
  platform = await start();
  expect(await balances()).toMatchObject([{ currencyId: 'USDT', amount: '25' }]);
}, 60_000);

test('a part that dies takes the others and the database along, and npm start fails', async () => {
  send(platform.parts[2]!, 'SIGKILL');
  expect(await ended(platform.process)).toBe(1);
  expect(platform.said()).toMatch(/(backoffice|realtime|worker|sandbox) ended \(SIGKILL\); stopping/);
  expect([...platform.parts, platform.postgres].filter(isAlive)).toEqual([]);
}, 60_000);

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
  const child = spawn(process.execPath, [START], {
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

/** npm start; resolves once it is ready. */
async function start(): Promise<Started> {
  const { process, said } = run();
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

/** Exit code or signal; what it left behind is for the test to look at. */
async function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<number | string | null> {
  const exit = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, by) => resolve(by ?? code)),
  );
  if (signal) child.kill(signal);
  return exit;
}
