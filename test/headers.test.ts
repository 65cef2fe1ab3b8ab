import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { route } from '../src/http/route.ts';
import { type Player, startApp, type TestApp } from './kit/app.ts';
import { operationsOf } from './kit/http/openapi.ts';
import { type RawAnswer, rawBytes, rawRequest } from './kit/http/raw-http.ts';
import { examplePath } from './kit/http/requests.ts';
import { type Elsewhere, startElsewhere } from './kit/processes/environments.ts';
import { withinOneMinute } from './kit/until.ts';

const SITE = 'https://play.example.com';
const ADMIN = 'https://admin.example.com:8443';
const fails = route({
  method: 'GET',
  path: '/fails',
  tag: 'Test',
  access: 'anonymous',
  summary: 'Fails',
  handler: () => {
    throw new Error('inside');
  },
});

let app: TestApp;
let limited: TestApp;
let local: Elsewhere;
let player: Player;
beforeAll(async () => {
  const timeouts = { HEADERS_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '600' };
  app = await startApp({ env: { SITE_ORIGINS: `${SITE},${ADMIN}`, ...timeouts }, extraRoutes: [fails] });
  limited = await startApp({ database: app.database, env: { RATE_LIMIT_PUBLIC: '1' } });
  local = await startElsewhere(app, 'local');
  player = await app.newPlayer();
});
afterAll(async () => {
  await local.stop();
  await limited.stop();
  await app.stop();
});

const NEEDED: Readonly<Record<string, RegExp>> = {
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^(SAMEORIGIN|DENY)$/,
  'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
  'cache-control': /^no-store$/,
  'x-request-id': /^[0-9a-f-]{36}$/,
  'strict-transport-security': /^max-age=31536000; includeSubDomains$/,
};
const TELLTALES = [
  'server',
  'x-powered-by',
  'via',
  'access-control-allow-origin',
  'access-control-allow-credentials',
];

function missing({ headers }: RawAnswer, isSecure = true): string[] {
  const needed = Object.entries(NEEDED).filter(([name]) => isSecure || name !== 'strict-transport-security');
  const bad = needed.filter(([name, form]) => !form.test(headers.get(name) ?? ''));
  return [...bad.map(([name]) => `no ${name}`), ...TELLTALES.filter((name) => headers.has(name))];
}

/** Sends one request for each kind of response. */
function everyKind(): Record<string, Promise<RawAnswer>> {
  const get = (path: string, headers = {}) => rawRequest(app.url, 'GET', path, { headers });
  const json = { 'content-type': 'application/json', authorization: `Bearer ${player.token}` };
  const post = (headers: object, body: string) =>
    rawRequest(app.url, 'POST', '/accounting/to-vault', { headers: { ...json, ...headers }, body });
  return {
    '200': get('/user/me', json),
    '400 body': post({}, '{'),
    '400 query': get('/version?a=1'),
    '400 no HTTP': rawBytes(app.url, ['hello\r\n\r\n']),
    '400 no Host': rawBytes(app.url, ['GET /version HTTP/1.1\r\nConnection: close\r\n\r\n']),
    '401': get('/user/me'),
    '403': rawRequest(app.url, 'DELETE', '/session/log-out/current', {
      headers: { cookie: `__Host-access_token=${player.token}`, origin: 'https://evil.example' },
    }),
    '404 route': get('/nothing'),
    '404 URL': get('/%ff'),
    '404 long URL': get(`/exchange-rates/${'x'.repeat(9000)}`),
    '404 object': get('/fairness/bets/1'),
    '200 HEAD': rawRequest(app.url, 'HEAD', '/version'),
    '405 OPTIONS': rawRequest(app.url, 'OPTIONS', '/version'),
    '403 preflight': preflight('https://evil.example', app.url),
    '408': rawBytes(app.url, ['GET /version HTTP/1.1\r\n']),
    '413': post({}, ' '.repeat(70_000)),
    '415': post({ 'content-type': 'text/plain' }, 'x'),
    '429': withinOneMinute()
      .then(() => rawRequest(limited.url, 'GET', '/currency'))
      .then(() => rawRequest(limited.url, 'GET', '/currency')),
    '431': get('/version', { 'x-long': 'x'.repeat(17_000) }),
    '500': get('/fails'),
    'an unknown Expect': get('/version', { expect: 'the-unexpected' }),
    'the document': get('/openapi.json'),
    'the metrics': get('/metrics'),
    'a bad cookie': get('/user/me', { cookie: '__Host-access_token=%ff; =; ;;' }),
  };
}

const preflight = (origin: string, url: string) =>
  rawRequest(url, 'OPTIONS', '/auth/sign-in', {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  });

test('sends security headers with every kind of response, and no header that reveals the software', async () => {
  const kinds = everyKind();
  for (const [kind, answer] of Object.entries(kinds)) expect(missing(await answer), kind).toEqual([]);
  const statuses = new Set((await Promise.all(Object.values(kinds))).map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404, 405, 408, 413, 415, 429, 431, 500]);
});

test('sends security headers with every operation, with and without a session', async () => {
  const document = (await app.call('GET', '/openapi.json')).body;
  for (const operation of operationsOf(document).filter(({ name }) => !/log-?out/.test(name))) {
    for (const headers of [{}, { authorization: `Bearer ${player.token}` }]) {
      const answer = await rawRequest(app.url, operation.method, examplePath(operation), { headers });
      // Clients may cache what every visitor may read (public.test.ts).
      const isCached = / \/(public|covers)\//.test(operation.name) && answer.status === 200;
      expect(missing(answer), operation.name).toEqual(isCached ? ['no cache-control'] : []);
    }
  }
});

test('sends HSTS except in local, which has no TLS', async () => {
  for (const path of ['/version', '/nothing', '/user/me']) {
    const answer = await rawRequest(local.url, 'GET', path);
    expect(answer.headers.has('strict-transport-security')).toBe(false);
    expect(missing(answer, false)).toEqual([]);
  }
  const refused = await rawBytes(local.url, ['hello\r\n\r\n']);
  expect(refused.headers.has('strict-transport-security')).toBe(false);
});

test('serves an API reference that loads nothing external and cannot be framed', async () => {
  const policy = (await app.call('GET', '/docs/api/')).headers.get('content-security-policy')!;
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/https?:|\*/);
});

describe('CORS', () => {
  const ORIGINS =
    `null * file:// undefined https://evil.example http://play.example.com https://play.example.com:444
    https://example.com https://evil.play.example.com https://play.example.com.evil.example https://notplay.example.com
    https://play.example.com/ https://play.example.co https://PLAY.example.com https://play-example.com
    https://admin.example.com https://play.example.com%60.evil.example http://localhost:3456 http://127.0.0.1:3456
    ${SITE},${ADMIN} ${SITE}\\@evil.example`.split(/\s+/);
  const names = (headers: Headers) =>
    [...headers.keys()].filter((name) => name.startsWith('access-control-'));

  test('allows no foreign, null or misspelt origin, and no origin that only resembles an allowed one', async () => {
    for (const origin of ORIGINS) {
      for (const path of ['/version', '/user/me', '/nothing', '/%ff', '/openapi.json']) {
        const { headers } = await rawRequest(app.url, 'GET', path, { headers: { origin } });
        expect(names(headers), `${origin} ${path}`).toEqual([]);
        expect(headers.get('vary')).toMatch(/\borigin\b/i);
      }
      const { headers, status } = await preflight(origin, app.url);
      expect({ status, names: names(headers) }, origin).toEqual({ status: 403, names: [] });
    }
  });

  test.each([SITE, ADMIN])('lets %s read responses, including errors, and send cookies', async (origin) => {
    for (const path of ['/version', '/user/me', '/nothing']) {
      const { headers } = await rawRequest(app.url, 'GET', path, { headers: { origin } });
      expect(headers.get('access-control-allow-origin'), path).toBe(origin);
      expect(headers.get('access-control-allow-credentials')).toBe('true');
      expect(headers.get('access-control-expose-headers')).toMatch(/retry-after.*x-request-id/);
      expect(headers.get('vary')).toMatch(/\borigin\b/i);
    }
  });

  test('allows the methods and headers of the operations in a preflight response', async () => {
    const { status, headers, text } = await preflight(SITE, app.url);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers.get('access-control-allow-origin')).toBe(SITE);
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
    expect(headers.get('access-control-allow-headers')).toBe('content-type');
    expect(Number(headers.get('access-control-max-age'))).toBeLessThanOrEqual(7200);
  });

  test("allows no origin without SITE_ORIGINS, not even the API's own", async () => {
    for (const origin of [limited.url, SITE, 'null']) {
      const { headers } = await rawRequest(limited.url, 'GET', '/nothing', { headers: { origin } });
      expect(names(headers)).toEqual([]);
    }
  });
});
