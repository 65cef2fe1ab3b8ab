import { expect, test } from 'vitest';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { rawRequest } from './kit/http/raw-http.ts';

const app = fixture(startApp);
const player = fixture(() => app.newPlayer());
const signedIn = () => ({ authorization: `Bearer ${player.token}` });

const PATHS = [
  '/health',
  '/health/ready',
  '/version',
  '/openapi.json',
  '/docs/',
  '/docs/api/',
  '/docs/events',
  '/verify',
];
const OPERATIONS = ['/currency', '/user/me', '/country?take=300', '/accounting/balances', '/nothing', '/'];

test('responds to HEAD as it does to GET, but without a body', async () => {
  for (const path of [...PATHS, ...OPERATIONS]) {
    const headers = signedIn();
    const [get, head] = [
      await rawRequest(app.url, 'GET', path, { headers }),
      await rawRequest(app.url, 'HEAD', path, { headers }),
    ];
    expect([head.status, head.text], path).toEqual([get.status, '']);
    for (const name of ['content-type', 'content-length', 'cache-control', 'vary', 'etag'])
      if (!path.startsWith('/health'))
        expect(head.headers.get(name), `${path} ${name}`).toBe(get.headers.get(name));
  }
  expect((await rawRequest(app.url, 'HEAD', '/user/me')).status).toBe(401);
});

test('redirects browsers that send HEAD, and runs no export for HEAD', async () => {
  const page = await rawRequest(app.url, 'HEAD', '/', { headers: { accept: 'text/html' } });
  expect([200, 302]).toContain(page.status);
  const staff = await app.as({ permissions: ['country.read'] });
  const headers = { authorization: `Bearer ${staff.token}`, accept: 'text/csv' };
  const list = await rawRequest(app.url, 'HEAD', '/admin/country?sortOrder=asc', { headers });
  expect([list.status, list.text]).toEqual([200, '']);
  expect(list.headers.get('content-type')).toContain('text/csv');
});

test.each([
  ['DELETE', '/health', 'GET, HEAD'],
  ['POST', '/user/me', 'GET, HEAD, PATCH'],
  ['GET', '/auth/sign-in', 'POST'],
  ['HEAD', '/auth/sign-in', 'POST'],
  ['PUT', '/admin/country/DE', 'PATCH'],
  ['OPTIONS', '/currency', 'GET, HEAD'],
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['HEAD', '/user/generate-2fa', 'GET'],
])('rejects %s %s and lists the methods that the path supports: %s', async (method, path, allow) => {
  const answer = await rawRequest(app.url, method, path, { headers: signedIn() });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  if (method !== 'HEAD') expect(answer.body).toMatchObject({ statusCode: 405, code: 'METHOD_NOT_ALLOWED' });
});

test('rejects every method on an unknown path with 404 and no Allow header', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])
    for (const path of ['/nothing', '/user/me/', '/admin/country/', '/health/ready/now']) {
      const answer = await rawRequest(app.url, method, path);
      expect([answer.status, answer.headers.has('allow')], `${method} ${path}`).toEqual([404, false]);
    }
});
