import { createHmac } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { halfSignedIn } from '../../test/kit/accounts/second-factor.ts';
import { type Player, startApp, type TestApp } from '../../test/kit/app.ts';
import { fixture } from '../../test/kit/fixture.ts';
import { rawRequest } from '../../test/kit/http/raw-http.ts';
import { connectSocket } from '../../test/kit/http/sockets.ts';

const SITE = 'https://site.example';
let realtime: TestApp;
let player: Player;
const api = fixture(startApp);
beforeAll(async () => {
  const env = { SITE_ORIGINS: SITE, REALTIME_SOCKETS_PER_USER: '3', REALTIME_CONNECT_TIMEOUT_MS: '300' };
  realtime = await startApp({ part: 'realtime', database: api.database, env });
  player = await api.newPlayer();
});
afterAll(() => realtime.stop());

type How = Parameters<typeof connectSocket>[1];
/** Returns the user's room after a handshake, or the error code. */
async function outcome(how: How): Promise<string> {
  try {
    const socket = await connectSocket(realtime.url, how);
    const { rooms } = (await socket.until('ready')).data;
    socket.close();
    return rooms[0];
  } catch (error) {
    return (error as { data?: { code: string } }).data?.code ?? (error as Error).message;
  }
}
const cookies = (all: Record<string, string>, origin: string | undefined = SITE): How => ({
  headers: {
    cookie: Object.entries(all)
      .map(([name, value]) => `__Host-${name}=${value}`)
      .join('; '),
    ...(origin ? { origin } : {}),
  },
});

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const handshakes = {
  WebSocket: (app: TestApp, headers: Record<string, string>) =>
    rawRequest(app.url, 'GET', '/socket.io/?EIO=4&transport=websocket', {
      headers: { ...UPGRADE, ...headers },
    }),
  polling: (app: TestApp, headers: Record<string, string>) =>
    app.call('GET', '/socket.io/?EIO=4&transport=polling', { headers }),
};

test.each(['WebSocket', 'polling'] as const)(
  'rejects a page of another site with 403 over %s',
  async (transport) => {
    const cookie = `access_token=${player.token}; socket_token=${player.socketToken}`;
    for (const from of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${SITE}.evil.example` },
      { origin: `${SITE}/` },
      { origin: 'https://evil.example', referer: `${SITE}/` },
      { referer: 'https://evil.example/' },
    ]) {
      const { status, body } = await handshakes[transport](realtime, { ...from, cookie });
      expect([from, status, JSON.stringify(body)]).toEqual([
        from,
        403,
        expect.stringContaining('ORIGIN_FORBIDDEN'),
      ]);
    }
  },
);

test('sends CORS headers for polling only to pages of the site', async () => {
  const { headers, status } = await handshakes.polling(realtime, { origin: SITE });
  expect(status).toBe(200);
  expect(headers.get('access-control-allow-origin')).toBe(SITE);
  expect(headers.get('access-control-allow-credentials')).toBe('true');
  const foreign = await handshakes.polling(realtime, { origin: 'https://evil.example' });
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
});

test('uses the first token found in auth.socket_token, then the cookie socket_token, then the cookie access_token', async () => {
  const other = await api.newPlayer();
  const own = `user:${player.id}`;
  const { token: access, socketToken: socket } = player;
  expect(await outcome({ auth: { socket_token: socket } })).toBe(own);
  expect(await outcome(cookies({ socket_token: socket }))).toBe(own);
  expect(await outcome(cookies({ access_token: access }))).toBe(own);
  expect(await outcome(cookies({ access_token: other.token, socket_token: socket }))).toBe(own);
  const withCookies = { ...cookies({ access_token: other.token, socket_token: other.socketToken }) };
  expect(await outcome({ ...withCookies, auth: { socket_token: socket } })).toBe(own);
  // An invalid first token is rejected even if the second one is valid.
  const bad = `${socket.slice(0, -1)}${socket.endsWith('A') ? 'E' : 'A'}`;
  for (const wrong of [bad, '', access, 'x', expired(), await halfSignedIn(api, player.id)]) {
    expect(await outcome({ ...withCookies, auth: { socket_token: wrong } })).toBe('UNAUTHORIZED');
    expect(await outcome(cookies({ socket_token: wrong, access_token: access }))).toBe('UNAUTHORIZED');
  }
  expect(await outcome(cookies({ access_token: socket }))).toBe('UNAUTHORIZED');
  expect(await outcome({})).toBe('UNAUTHORIZED');
});

test('accepts cookies only from pages of the site, but accepts tokens from other clients too', async () => {
  const all = { access_token: player.token, socket_token: player.socketToken };
  expect(await outcome(cookies(all, ''))).toBe('UNAUTHORIZED');
  expect(await outcome({ ...cookies(all, ''), auth: { socket_token: player.socketToken } })).toBe(
    `user:${player.id}`,
  );
});

test('accepts the same tokens over polling', async () => {
  const how = { auth: { socket_token: player.socketToken }, transports: ['polling'] };
  expect(await outcome(how)).toBe(`user:${player.id}`);
  expect(await outcome({ ...how, auth: { socket_token: player.token } })).toBe('UNAUTHORIZED');
});

test('rejects every token of an ended session or a banned user', async () => {
  const gone = await api.newPlayer();
  const banned = await api.newPlayer();
  await gone.call('DELETE', '/session/log-out/current');
  const boss = await api.as('superadmin');
  expect((await boss.call('PATCH', `/admin/user/${banned.id}/ban`, { body: {} })).status).toBe(200);
  for (const { token, socketToken } of [gone, banned]) {
    expect(await outcome({ auth: { socket_token: socketToken } })).toBe('UNAUTHORIZED');
    expect(await outcome(cookies({ access_token: token }))).toBe('UNAUTHORIZED');
  }
});

test('rejects invalid handshake fields even when the token is valid', async () => {
  const socket_token = player.socketToken;
  for (const more of [{ x: 1 }, { lastSeq: -1 }, { lastSeq: '5' }, { rooms: 'admin' }, { rooms: [''] }])
    expect(await outcome({ auth: { socket_token, ...more } })).toBe('VALIDATION_FAILED');
});

test("limits the number of a user's sockets, and allows another one once one has closed", async () => {
  const auth = { socket_token: player.socketToken };
  const three = await Promise.all([1, 2, 3].map(() => connectSocket(realtime.url, { auth })));
  expect(await outcome({ auth })).toBe('TOO_MANY_SOCKETS');
  three[0]!.close();
  await expect.poll(() => realtime.sockets!.sockets()).toBe(2);
  expect(await outcome({ auth })).toBe(`user:${player.id}`);
  for (const socket of three) socket.close();
});

test('closes a connection that does not authenticate', async () => {
  const before = performance.now();
  const socket = new WebSocket(`${realtime.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  await new Promise((resolve) => socket.addEventListener('close', resolve));
  expect(performance.now() - before).toBeLessThan(30_000);
});

test('limits the handshakes and connections from one address', async () => {
  const env = { REALTIME_HANDSHAKES_PER_MINUTE: '5', REALTIME_SOCKETS_PER_ADDRESS: '2', SITE_ORIGINS: SITE };
  const strict = await startApp({ part: 'realtime', database: api.database, env });
  const auth = { socket_token: player.socketToken };
  const two = await Promise.all([1, 2].map(() => connectSocket(strict.url, { auth })));
  const refused = await handshakes.WebSocket(strict, {});
  expect([refused.status, refused.body.code]).toEqual([429, 'TOO_MANY_SOCKETS']);
  for (const socket of two) socket.close();
  await expect.poll(() => strict.sockets!.sockets()).toBe(0);
  const polls = await Promise.all(Array.from({ length: 12 }, () => handshakes.polling(strict, {})));
  expect(polls.map(({ body }) => body?.message)).toContain('RATE_LIMITED');
  await strict.stop();
});

/** Returns a socket token that expired a minute ago. */
function expired(): string {
  const [header, ,] = player.socketToken.split('.');
  const payload = Buffer.from(
    JSON.stringify({ ...decodeJwt(player.socketToken), exp: Math.floor(Date.now() / 1000) - 60 }),
  );
  const text = `${header}.${payload.toString('base64url')}`;
  return `${text}.${createHmac('sha256', api.config.JWT_SECRET).update(text).digest('base64url')}`;
}
