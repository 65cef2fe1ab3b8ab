import { execFile, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { runOnDb } from '../src/app/boot.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { platformPorts } from './kit/processes/ports.ts';

/** Twenty times the duration of the demo on an idle machine. */
const DEADLINE_MS = 1_200_000;
const CROUPIER = 'src/bin/croupier.ts';

async function startPlatform() {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-demo-'));
  chmodSync(folder, 0o755);
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
    ...(await platformPorts()),
  };
  const child = spawn(process.execPath, [CROUPIER, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  for await (const [line] of on(output, 'line')) if (line.startsWith('ready')) break;
  const run = (...args: string[]): Promise<{ code: number; output: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [CROUPIER, ...args], { env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      );
    });
  return {
    api: `http://127.0.0.1:${env.PORT}`,
    env,
    run,
    /** Returns the errors and warnings logged by all processes so far. */
    complaints: () => lines.filter((line) => /"level":"error"|Warning/.test(line)),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const WITHDRAWAL_STATES = [
  'WAITING_FOR_APPROVAL',
  'ON_HOLD',
  'APPROVED',
  'PROCESSING',
  'UNKNOWN_OUTCOME',
  'SENT',
  'COMPLETED',
  'REJECTED',
  'CANCELLED',
  'FAILED',
];

/** Returns every state that a withdrawal has been in. The worker processes payouts, so some states last only seconds. */
async function withdrawalStates(env: Record<string, string>): Promise<string[]> {
  let states: string[] = [];
  await runOnDb(loadConfig(env), { name: 'demo test' }, async (db) => {
    const { rows } = await sql<{ status: string }>`
      select distinct step->>'status' as status from withdrawals, jsonb_array_elements(status_history) step`.execute(
      db,
    );
    states = rows.map(({ status }) => status);
    return 0;
  });
  return states;
}

/** Signs in and returns the headers of later requests. */
async function signIn(api: string, email: string, password: string): Promise<Record<string, string>> {
  const answer = await fetch(`${api}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-captcha-token': 'local-captcha' },
    body: JSON.stringify({ email, password }),
  });
  const { accessToken } = (await answer.json()) as { accessToken: { token: string } };
  return { authorization: `Bearer ${accessToken.token}`, 'content-type': 'application/json' };
}

/** Returns what the lobby shows about the player whose credentials are printed. */
async function lifeOf(api: string, headers: Record<string, string>) {
  const get = async (path: string): Promise<any> => (await fetch(api + path, { headers })).json();
  const { vipLevel } = await get('/user/me');
  const rakeback = await get('/rakeback');
  const ranks = await get('/leaderboards/my');
  return {
    hasBets: (await get('/bets')).total > 0,
    vipLevel,
    hasRakeback: /"[0-9.]*[1-9][0-9.]*"/.test(JSON.stringify(rakeback)),
    hasActiveBonus: (await get('/promo/my?status=ACTIVE')).total > 0,
    hasRank: ranks.data.some(({ place }: { place: number | null }) => place !== null),
    referrals: (await get('/affiliate/overview')).referrals,
  };
}

type Page = { data: { status: string; createdAt: string }[]; total: number };

test('simulates a month with every possible state, and leaves the books consistent', {
  timeout: DEADLINE_MS,
}, async () => {
  const { api, env, run, complaints, stop } = await startPlatform();
  onTestFinished(stop);
  const made = await run('demo', '--players', '40', '--days', '12', '--seed', '7');
  expect(made.output).not.toMatch(/TimeoutOverflowWarning|^failed: /m);
  expect(made.output).toContain('40 players, 12 days, seed 7');
  const [, email, password] = /SUPERADMIN\s+(\S+)\s+(\S+)/.exec(made.output)!;

  expect(made.output).toContain('do not use it yet');
  const headers = await signIn(api, email!, password!);
  const get = async (path: string) => (await fetch(api + path, { headers })).json();
  const post = async (path: string, body: object) =>
    (await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const bets = async (gameSlug: string) =>
    (await post('/admin/bets', { take: 1, where: { gameSlug } })) as Page;

  const all = (await get('/admin/payments/withdraw?take=100')) as Page;
  // The network confirms the last payouts only after the demo has been filled.
  await expect.poll(() => withdrawalStates(env)).toEqual(expect.arrayContaining(WITHDRAWAL_STATES));
  for (const game of [
    'dice',
    'limbo',
    'keno',
    'plinko',
    'roulette',
    'mines',
    'monkey-run',
    'blackjack',
    'speed-roulette',
  ])
    expect((await bets(game)).total, game).toBeGreaterThan(0);

  expect(((await get('/admin/casino/games/commission')) as Page).total).toBeGreaterThan(0);
  expect(((await post('/admin/affiliate/streamer', {})) as Page).total).toBeGreaterThan(0);

  const deposits = (await get('/admin/payments/deposit?take=100&sortBy=createdAt&sortOrder=asc')) as Page;
  const days = new Set(deposits.data.map(({ createdAt }) => createdAt.slice(0, 10)));
  expect(days.size).toBeGreaterThan(5);
  const oldest = Date.parse(deposits.data[0]!.createdAt);
  expect(Date.now() - oldest).toBeGreaterThan(9 * 86_400_000);

  const [, playerEmail, playerPassword] = /player\s+(\S+)\s+(\S+)/.exec(made.output)!;
  expect(await lifeOf(api, await signIn(api, playerEmail!, playerPassword!))).toEqual({
    hasBets: true,
    vipLevel: expect.toSatisfy((level: number) => level > 0),
    hasRakeback: true,
    hasActiveBonus: true,
    hasRank: true,
    referrals: expect.toSatisfy((count: number) => count > 0),
  });
  const racesIn = async (status: string) =>
    ((await get(`/admin/leaderboards?status=${status}&take=20`)) as Page).total;
  // The worker pays the prizes once the ranks are frozen, which takes a moment.
  await expect
    .poll(async () => [(await racesIn('FINISHED')) > 0, await racesIn('AWAITING_PAYOUT')])
    .toEqual([true, 0]);

  expect(complaints()).toEqual([]);
  expect(await run('reconcile')).toMatchObject({
    code: 0,
    output: expect.stringContaining('no differences'),
  });
  const again = await run('demo', '--players', '40', '--days', '12', '--seed', '8');
  expect(again).toMatchObject({ code: 0, output: expect.stringContaining('nothing was added') });
  expect(((await get('/admin/payments/withdraw?take=1')) as Page).total).toBe(all.total);
});
