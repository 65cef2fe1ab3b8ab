import { expect, test } from 'vitest';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { rawRequest } from './kit/http/raw-http.ts';
import { startElsewhere } from './kit/processes/environments.ts';

const SITE = 'https://www.shop.example';
const env = { SITE_ORIGINS: SITE };
const app = fixture(startApp);
const production = fixture(() => startElsewhere(app, 'production', { env }));
const local = fixture(() => startElsewhere(app, 'local', { env }));
const player = fixture(() => app.newPlayer());

const EVIL = 'https://evil.example';
type Service = { url: string };

const startPasskey = ({ url }: Service, cookie: string, origin: string) =>
  rawRequest(url, 'POST', '/user/passkeys/registration/options', {
    headers: { cookie: `${cookie}=${player.token}`, origin, 'content-type': 'application/json' },
  });
const preflight = ({ url }: Service, origin: string) =>
  rawRequest(url, 'OPTIONS', '/user/me', { headers: { origin, 'access-control-request-method': 'GET' } });

test("accepts the API's own pages in addition to SITE_ORIGINS", async () => {
  for (const origin of [SITE, 'https://api.croupier.example']) {
    expect((await startPasskey(production, '__Host-access_token', origin)).body?.code, origin).not.toBe(
      'ORIGIN_FORBIDDEN',
    );
    expect((await preflight(production, origin)).headers.get('access-control-allow-origin')).toBe(origin);
  }
});

test('accepts only SITE_ORIGINS and loopback origins in local', async () => {
  for (const origin of [SITE, 'http://127.0.0.1:3000', 'http://localhost:5173', 'http://[::1]:8080']) {
    expect((await startPasskey(local, 'access_token', origin)).body?.code, origin).not.toBe(
      'ORIGIN_FORBIDDEN',
    );
    expect((await preflight(local, origin)).headers.get('access-control-allow-origin')).toBe(origin);
  }
  for (const origin of [EVIL, 'http://localhost.evil.example', 'http://127.0.0.1.evil.example:3000', 'null'])
    expect((await startPasskey(local, 'access_token', origin)).status, origin).toBe(403);
});

test('includes the origin and the setting in the error when it rejects a page or its preflight request', async () => {
  for (const answer of [
    await startPasskey(production, '__Host-access_token', EVIL),
    await preflight(production, EVIL),
    await startPasskey(local, 'access_token', EVIL),
    await preflight(local, EVIL),
  ]) {
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain(EVIL);
    expect(answer.body).toMatchObject({
      code: 'ORIGIN_FORBIDDEN',
      details: { origin: EVIL, setting: 'SITE_ORIGINS' },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('rejects debug requests from pages of other sites and with unknown host names', async () => {
  const create = (headers: Record<string, string>) =>
    rawRequest(local.url, 'POST', '/debug/auth/login/some_visitor', { headers });
  for (const headers of [
    { origin: EVIL },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { host: 'rebound.evil.example:3000' },
    { host: 'rebound.evil.example', origin: 'http://rebound.evil.example' },
    { host: '127.0.0.1.evil.example' },
  ] as Record<string, string>[]) {
    const answer = await create(headers);
    expect([answer.status, answer.body.code], JSON.stringify(headers)).toEqual([403, 'ORIGIN_FORBIDDEN']);
  }
  for (const headers of [
    {},
    { origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' },
    { host: 'localhost' },
  ])
    expect((await create(headers as Record<string, string>)).status).toBe(201);
  // A host name from SITE_ORIGINS is accepted too, because it may resolve to this server, for example in a container network.
  expect((await create({ host: 'www.shop.example' })).status).toBe(201);
});

test('serves the documentation and the API reference outside development only when it is enabled', async () => {
  for (const path of ['/docs', '/docs/', '/docs/llms.txt', '/docs/api/', '/docs/api/js/scalar.js'])
    expect((await production.call('GET', path)).status, path).toBe(404);
  expect((await production.call('GET', '/openapi.json')).status).toBe(200);
  const shown = await startElsewhere(app, 'production', { env: { API_REFERENCE: 'on' } });
  expect((await shown.call('GET', '/docs/api/')).status).toBe(200);
  await shown.stop();
});
