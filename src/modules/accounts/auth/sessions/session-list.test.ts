import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { signInAgain } from '../../../../../test/kit/http/requests.ts';

/** Two processes that use one database. */
const one = fixture(() => startApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } }));
const two = fixture(() => startApp({ database: one.database }));

const statusOf = async (token: string, app = one) => (await app.call('GET', '/user/me', { token })).status;
const refresh = (token: string) => one.call('POST', '/auth/refresh', { headers: { 'refresh-token': token } });
const idOf = (token: string) => String(decodeJwt(token).sid);
const list = async ({ call }: Pick<Player, 'call'>) =>
  (await call('GET', '/session')).body as { id: string }[];
/** Expects both processes to reject the token, although they have just accepted it. */
const endsEverywhere = async (token: string, end: () => Promise<{ status: number; body: unknown }>) => {
  for (const app of [one, two]) expect(await statusOf(token, app)).toBe(200);
  const answer = await end();
  for (const app of [one, two]) await expect.poll(() => statusOf(token, app)).toBe(401);
  return [answer.status, answer.body];
};

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

test('lists the live sessions of the user with device and country, most recently used first', async () => {
  const player = await one.newPlayer();
  const login = `/debug/auth/login/${player.username}`;
  const headers = { 'user-agent': IPHONE, 'x-forwarded-for': '193.99.144.80' };
  const phone = (await one.call('POST', login, { headers })).body;
  const left = await signInAgain(one, player);
  const over = await signInAgain(one, player);
  await one.call('DELETE', '/session/log-out/current', { token: left.token });
  const past = { expires_at: new Date(Date.now() - 1000) };
  await one.db.updateTable('sessions').set(past).where('id', '=', idOf(over.token)).execute();
  await one.newPlayer();
  const answer = await player.call('GET', '/session');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual([
    {
      id: idOf(phone.accessToken.token),
      current: false,
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      ipAddress: '193.99.144.80',
      countryCode: 'DE',
      device: 'Apple iPhone',
      browser: 'Safari 18',
      os: 'iOS 18.1',
    },
    expect.objectContaining({
      id: idOf(player.token),
      current: true,
      countryCode: null,
      ipAddress: '127.0.0.1',
    }),
  ]);
  expect((await refresh(player.refreshToken)).status).toBe(201);
  const [first, second] = (await player.call('GET', '/session')).body;
  expect([first.id, second.id]).toEqual([idOf(player.token), idOf(phone.accessToken.token)]);
  expect(first.lastUsedAt > first.createdAt).toBe(true);
});

test('ends one session and its refresh token in every process on DELETE /session/{id}', async () => {
  const player = await one.newPlayer();
  const [other, third] = [await signInAgain(one, player), await signInAgain(one, player)];
  const end = () => player.call('DELETE', `/session/${idOf(other.token)}`);
  expect(await endsEverywhere(other.token, end)).toEqual([200, { success: true }]);
  expect((await refresh(other.refreshToken)).status).toBe(401);
  for (const token of [player.token, third.token]) expect(await statusOf(token, two)).toBe(200);
  expect(new Set((await list(player)).map(({ id }) => id))).toEqual(
    new Set([idOf(player.token), idOf(third.token)]),
  );
  expect((await end()).body.code).toBe('SESSION_NOT_FOUND');
  const own = await player.call('DELETE', `/session/${idOf(player.token)}`);
  expect(own.status).toBe(200);
  await expect.poll(() => statusOf(player.token)).toBe(401);
});

test('returns 404 and ends no session for malformed or unknown ids and for the sessions of other users', async () => {
  const [player, stranger] = [await one.newPlayer(), await one.newPlayer()];
  for (const id of [
    idOf(stranger.token),
    idOf(player.token).toUpperCase(),
    `${idOf(player.token)} `,
    '00000000-0000-4000-8000-000000000000',
    '1',
    'log-out',
    "'",
    '%00',
    'x'.repeat(65),
  ]) {
    const answer = await player.call('DELETE', `/session/${encodeURI(id)}`);
    expect([answer.status, answer.body.code], id).toEqual([404, 'SESSION_NOT_FOUND']);
  }
  for (const { token } of [player, stranger]) expect(await statusOf(token)).toBe(200);
});

test('ends all sessions but the current one in every process on DELETE /session/log-out/others', async () => {
  const [player, stranger] = [await one.newPlayer(), await one.newPlayer()];
  const others = [await signInAgain(one, player), await signInAgain(one, player)];
  for (const { token } of others) for (const app of [one, two]) expect(await statusOf(token, app)).toBe(200);
  const end = () => player.call('DELETE', '/session/log-out/others');
  expect(await endsEverywhere(others[0]!.token, end)).toEqual([200, { revoked: 2 }]);
  for (const app of [one, two]) await expect.poll(() => statusOf(others[1]!.token, app)).toBe(401);
  for (const { refreshToken } of others) expect((await refresh(refreshToken)).status).toBe(401);
  for (const { token } of [player, stranger]) expect(await statusOf(token, two)).toBe(200);
  expect((await end()).body).toEqual({ revoked: 0 });
});

test('rejects unauthenticated requests to list or end sessions, and cross-site requests to end them that carry only a cookie', async () => {
  const player = await one.newPlayer();
  for (const [method, path] of [
    ['GET', '/session'],
    ['DELETE', '/session/log-out/others'],
    ['DELETE', `/session/${idOf(player.token)}`],
  ] as const) {
    expect((await one.call(method, path)).status).toBe(401);
    const headers = { cookie: `__Host-access_token=${player.token}`, origin: 'https://evil.example' };
    if (method === 'DELETE') expect((await one.call(method, path, { headers })).status).toBe(403);
  }
  expect(await statusOf(player.token)).toBe(200);
});
