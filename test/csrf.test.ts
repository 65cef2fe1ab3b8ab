import { expect, test } from 'vitest';
import { backofficeRoutes, mainRoutes } from '../src/app/apps.ts';
import type { Route } from '../src/http/route.ts';
import { type CallOptions, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import { sampleRequest } from './kit/http/samples.ts';
import { type Elsewhere, startElsewhere } from './kit/processes/environments.ts';

// The address has no rate limit, because all requests come from it and every rejection counts against the limit.
const SITES = { SITE_ORIGINS: 'https://a.example,https://b.example', RATE_LIMIT_PUBLIC: '0' };
/** Rate limits are off, because their counts are written with a delay, possibly while a test checks for changes. */
const UNCOUNTED = { RATE_LIMIT_MONEY: '0', RATE_LIMIT_READ: '0' };
const app = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const production = fixture(() => startElsewhere(app, 'production', { env: { ...SITES, ...UNCOUNTED } }));

type Door = { call: Elsewhere['call']; origin: string; routes: Route[] };
const doors = (): Door[] => [
  { call: app.call, origin: app.url, routes: mainRoutes(app.services) },
  { call: backoffice.call, origin: backoffice.url, routes: backofficeRoutes(backoffice.services) },
  { call: production.call, origin: 'https://b.example', routes: mainRoutes(production.services) },
];
/** Access types of routes that read no cookies. */
const OPEN: unknown[] = ['anonymous', 'apikey', 'signature'];
const changes = ({ routes }: Door) => routes.filter((r) => r.method !== 'GET' && !OPEN.includes(r.access));
const foreign = (origin: string): Record<string, string>[] => [
  {},
  { origin: '' },
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: `${origin}.evil.example` },
  { origin: origin.replace('://', '://sub.') },
  { origin: origin.replace(/^https?/, 'ftp') },
  { origin: `${origin}, ${origin}` },
  { origin: `${origin}/` },
  { origin: 'https://evil.example', referer: `${origin}/` },
  { referer: `https://evil.example/?${origin}/` },
  { referer: 'not an address' },
];

test('rejects a change that is authenticated only by a cookie with 403 unless one of our pages sent it', async () => {
  const { token } = await app.as('superadmin');
  const before = await fingerprint(app.db);
  const wrong: string[] = [];
  let tried = 0;
  const attempt = async (door: Door, r: Route, options: CallOptions) => {
    const { status, body, text, headers } = await door.call(r.method, sampleRequest(r).path, options);
    tried++;
    if (status !== 403 || body.code !== 'ORIGIN_FORBIDDEN' || headers.getSetCookie().length > 0)
      wrong.push(`${r.method} ${r.path} ${JSON.stringify(options.headers)}: ${text}`);
  };
  for (const door of doors())
    for (const r of changes(door))
      for (const headers of foreign(door.origin))
        for (const cookie of ['access_token', 'jwt_access_token'])
          await attempt(door, r, {
            body: sampleRequest(r).body,
            headers: { ...headers, cookie: `__Host-${cookie}=${token}` },
          });
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(100);
  expect(await fingerprint(app.db)).toEqual(before);
});

test('accepts changes from our pages with Origin or Referer, and from clients with a bearer token without these headers', async () => {
  const body = { currencyId: 'USDT', amount: '1' };
  const { username } = await app.newPlayer({ usdt: 100 });
  const [main, , deployed] = doors();
  for (const { call, origin } of [main!, deployed!]) {
    const { token } = await app.newPlayer({ username });
    const cookie = `__Host-access_token=${token}`;
    for (const headers of [
      { cookie, origin },
      { cookie, referer: `${origin}/wallet?tab=vault` },
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${token}`, cookie, origin: 'https://evil.example' },
    ])
      expect((await call('POST', '/accounting/to-vault', { body, headers })).status).toBe(201);
    const read = await call('GET', '/user/me', { headers: { cookie, origin: 'https://evil.example' } });
    expect(read.status).toBe(200);
    const leave = await call('DELETE', '/session/log-out/current', { headers: { cookie, origin } });
    expect(leave.status).toBe(200);
    expect(leave.headers.getSetCookie()).toHaveLength(3);
    for (const cleared of leave.headers.getSetCookie())
      expect(cleared).toMatch(/^__Host-\w+=; .*Expires=Thu, 01 Jan 1970/);
  }
});

test('rejects a GET with side effects from a link or an image of another site', async () => {
  const { token } = await app.as('superadmin');
  const { call, routes } = doors()[0]!;
  const risky = routes.filter((r) => r.hasSideEffect);
  expect(risky.length).toBeGreaterThan(2);
  const before = await fingerprint(app.db);
  for (const r of risky) {
    const headers = { 'sec-fetch-site': 'cross-site', cookie: `__Host-access_token=${token}` };
    const { status, body } = await call('GET', sampleRequest(r).path, { headers });
    expect([status, body.code], r.path).toEqual([403, 'ORIGIN_FORBIDDEN']);
    const head = await call('HEAD', sampleRequest(r).path, { headers: { cookie: headers.cookie } });
    expect(head.status, r.path).toBe(405);
  }
  expect(await fingerprint(app.db)).toEqual(before);
});

test('accepts a GET with side effects from our page on a different site than the API, and from no other page', async () => {
  const { username } = await app.newPlayer();
  const [main, , deployed] = doors();
  for (const { call, origin } of [main!, deployed!]) {
    const { token } = await app.newPlayer({ username });
    const generate = (headers: Record<string, string>) =>
      call('GET', '/user/generate-2fa', {
        headers: { ...headers, 'sec-fetch-site': 'cross-site', cookie: `__Host-access_token=${token}` },
      });
    for (const headers of [{ origin }, { referer: `${origin}/account` }])
      expect((await generate(headers)).status).toBe(200);
    for (const headers of foreign(origin)) {
      const { status, body } = await generate(headers);
      expect([status, body.code], JSON.stringify(headers)).toEqual([403, 'ORIGIN_FORBIDDEN']);
    }
  }
});

test('hides responses from pages of other sites', async () => {
  const asked = { 'access-control-request-method': 'DELETE' };
  for (const { call, origin } of doors())
    for (const other of foreign(origin).flatMap(({ origin = '' }) => [origin]))
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await call(method, '/user/me', { headers: { ...asked, origin: other } });
        expect(headers.get('access-control-allow-origin'), `${method} ${other}`).toBeNull();
      }
  const ours = await production.call('OPTIONS', '/user/me', {
    headers: { ...asked, origin: 'https://b.example' },
  });
  expect(ours.headers.get('access-control-allow-origin')).toBe('https://b.example');
  expect(ours.headers.get('access-control-allow-credentials')).toBe('true');
});
