import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reply } from '../crash/client.ts';
import { createPlayers, type LoadPlayer } from '../crash/load.ts';
import { newName, type Platform, startPlatform, tellOnFailure } from './platform.ts';

const GERMAN = { 'x-forwarded-for': '193.99.144.80' };
const LIMIT = 60;
/** Number of requests after which the test waits until both processes have shared their counts. */
const ROUND = 12;

let platform: Platform;
let player: LoadPlayer;
tellOnFailure(() => platform);

beforeAll(async () => {
  platform = await startPlatform({
    parts: ['api', 'api', 'backoffice'],
    settings: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_UPLOAD: String(LIMIT) },
  });
  [player] = (await createPlayers(platform.cluster.balanced('api'), [100_000])) as [LoadPlayer];
}, 120_000);
afterAll(() => platform?.stop());

const at: Platform['at'] = (...asked) => platform.at(...asked);

const said = ({ status, body }: Reply) => (status < 400 ? `${status}` : `${status} ${body?.code}`);

const bet = (name: string, headers: Record<string, string> = {}) =>
  at(name, 'POST', '/casino/games/house/dice/bet', {
    token: player.token,
    headers,
    body: { currencyId: 'USDT', betAmount: '0.1', threshold: 50, above: true },
  }).then(said);

/** Sends a staff request, which changes data, to one process. */
const change = async (name: string, method: string, path: string, body: object) => {
  const reply = await at(name, method, path, { token: platform.boss.token, body });
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
};

/** Waits until both APIs return the expected result. */
const everywhere = async (
  ask: (name: string) => Promise<unknown>,
  wanted: unknown,
  names = ['api-1', 'api-2'],
) =>
  expect
    .poll(() => Promise.all(names.map(ask)), { timeout: 5000, interval: 50 })
    .toEqual(names.map(() => wanted));

test('disables a game on every process when one process disables it', async () => {
  const path = '/admin/casino/games/house/dice/kill-switch';
  await everywhere(bet, '201');
  try {
    await change('api-1', 'POST', path, { enabled: true, reason: 'Under repair' });
    await everywhere(bet, '409 GAME_DISABLED');
  } finally {
    await change('api-2', 'POST', path, { enabled: false, reason: 'Under repair' });
  }
  await everywhere(bet, '201');
});

test('stops play on both APIs when the backoffice stops it', async () => {
  const open = (isPlayOpen: boolean) =>
    change('backoffice', 'PUT', '/config', { code: 'COMMON', config: { isPlayOpen } });
  try {
    await open(false);
    await everywhere(bet, '409 PLAY_STOPPED');
  } finally {
    await open(true);
  }
  await everywhere(bet, '201');
});

test('blocks a country on every process when one process blocks it', async () => {
  const fromThere = (name: string) => bet(name, GERMAN);
  await everywhere(fromThere, '201');
  try {
    await change('api-2', 'PATCH', '/admin/country/DE', { isBlocked: true });
    await everywhere(fromThere, '403 AUTH_GEO_BLOCKED');
  } finally {
    await change('api-1', 'PATCH', '/admin/country/DE', { isBlocked: false });
  }
  await everywhere(fromThere, '201');
});

test('applies a sign-out, a ban and a revoked permission in every process', async () => {
  const { signIn, boss } = platform;
  const me = (token: string) => (name: string) => at(name, 'GET', '/user/me', { token }).then(said);

  const leaving = await signIn(newName('leaving'));
  await everywhere(me(leaving.token), '200');
  expect((await at('api-1', 'DELETE', '/session/log-out/current', { token: leaving.token })).status).toBe(
    200,
  );
  await everywhere(me(leaving.token), '401 UNAUTHORIZED');

  const banned = await signIn(newName('banned'));
  await everywhere(me(banned.token), '200');
  await change('backoffice', 'PATCH', `/user/${banned.id}/ban`, { banReason: 'Fraud' });
  await everywhere(me(banned.token), '401 UNAUTHORIZED');

  const staff = await signIn(newName('clerk'), { permissions: ['logger.read', 'user.read'] });
  const levels = (name: string) => at(name, 'GET', '/admin/logger', { token: staff.token }).then(said);
  await everywhere(levels, '200');
  const reply = await at('backoffice', 'PUT', `/user/${staff.id}/permissions`, {
    token: boss.token,
    body: { permissions: ['user.read'] },
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  await everywhere(levels, '403 FORBIDDEN');
});

test('applies changed log levels in all processes', async () => {
  const level = async (name: string) =>
    (await at(name, 'GET', '/admin/logger', { token: platform.boss.token })).body.level.bets;
  try {
    await change('api-2', 'PUT', '/admin/logger', { level: { bets: 'debug' }, ttlSeconds: 60 });
    await everywhere(level, 'debug');
  } finally {
    await change('api-1', 'PUT', '/admin/logger', { level: {} });
  }
  await everywhere(level, 'warn');
});

test('removes a disabled currency from both APIs', async () => {
  const isThere = async (name: string) =>
    (await at(name, 'GET', '/currency')).body.some(({ id }: { id: string }) => id === 'DOGE');
  const enable = (enabled: boolean) =>
    platform.onDb((db) => sql`update currencies set enabled = ${enabled} where id = 'DOGE'`.execute(db));
  await everywhere(isThere, true);
  try {
    await enable(false);
    // Processes read currencies again every two seconds.
    await everywhere(isThere, false);
  } finally {
    await enable(true);
  }
});

test('enforces a rate limit across all processes', async () => {
  // Waits for the next minute if this one is about to end, because counts start from zero in each minute.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 200));
  const { id, token } = await platform.signIn(newName('uploader'));
  const answers: string[] = [];
  const passed = () => answers.filter((answer) => !answer.startsWith('429')).length;
  for (let i = 0; i < 2 * LIMIT; i++) {
    const reply = await at(`api-${1 + (i % 2)}`, 'PATCH', '/user/me', { token, body: {} });
    answers.push(said(reply));
    if (reply.status === 429) expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    if (i % ROUND === ROUND - 1) await expect.poll(() => shared(id)).toBe(passed());
  }
  expect(passed()).toBeGreaterThanOrEqual(LIMIT);
  // When a process admits a request, it may not have received the other process's counts of this round and the previous one.
  expect(passed()).toBeLessThanOrEqual(LIMIT + ROUND);
  expect(answers.slice(-10)).toEqual(Array(10).fill('429 RATE_LIMITED'));
}, 120_000);

/** Returns the shared count of a user's requests. */
const shared = (userId: number): Promise<number> =>
  platform.onDb(async (db) => {
    const { rows } = await sql<{ n: number }>`
      select coalesce(sum(hits), 0)::int as n from rate_limits where key = ${`upload:u${userId}`}`.execute(
      db,
    );
    return rows[0]!.n;
  });
