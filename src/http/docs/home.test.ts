import { expect, test } from 'vitest';
import { startApp } from '../../../test/kit/app.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { startElsewhere } from '../../../test/kit/processes/environments.ts';

const PAGE = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
const main = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: main.database }));
const worker = fixture(() => startApp({ part: 'worker', database: main.database }));
const production = fixture(() => startElsewhere(main, 'production'));

const linksIn = (html: string) => [...html.matchAll(/href="([^"]+)"/g)].map(([, url]) => url!);

test('serves a page without dead links to browsers that open a service', async () => {
  for (const service of [backoffice, worker]) {
    const { status, headers, text } = await service.call('GET', '/', PAGE);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'; script-src 'none'; style-src 'sha256-/,
    );
    expect(headers.get('vary')).toMatch(/Accept/);
    const own = linksIn(text).filter((url) => url.startsWith('/'));
    expect(own).toEqual(expect.arrayContaining(['/docs/api/', '/openapi.json', '/health']));
    for (const url of own) expect([url, (await service.call('GET', url)).status]).toEqual([url, 200]);
  }
});

test('redirects browsers from the main API to the lobby', async () => {
  for (const service of [main, production]) {
    const { status, headers } = await service.call('GET', '/', PAGE);
    expect([status, headers.get('location')]).toEqual([302, '/play/']);
    const page = await service.call('GET', '/play/games/dice', PAGE);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/);
  }
});

test('returns the same links as JSON, unless the API has an operation with this path', async () => {
  const links = { openapi: '/openapi.json', health: '/health' };
  const { status, body } = await production.call('GET', '/');
  expect([status, body]).toMatchObject([
    200,
    { service: 'Croupier Main API', links: { ...links, verify: '/verify' } },
  ]);
  expect((await backoffice.call('GET', '/')).body).toMatchObject({
    service: 'Croupier Backoffice API',
    links: { ...links, reference: '/docs/api/' },
  });
  for (const name of ['docs', 'reference']) expect(body.links).not.toHaveProperty(name);
  for (const accept of ['application/json', '*/*'])
    expect((await main.call('GET', '/', { headers: { accept } })).body).toEqual({
      queueName: 'debug.default',
      messageCount: 0,
      consumerCount: 0,
    });
});

test('shows links to other services and the sandbox in development only', async () => {
  expect((await backoffice.call('GET', '/', PAGE)).text).toContain('/inbox');
  expect((await production.call('GET', '/')).text).not.toMatch(/sandbox|inbox|127\.0\.0\.1|debug/i);
});

test('counts requests for the page towards the rate limit', async () => {
  const limited = await startApp({ database: main.database, env: { RATE_LIMIT_FILE: '1' } });
  const ask = () => limited.call('GET', '/', PAGE);
  const answers = [await ask(), await ask()];
  await limited.stop();
  expect(answers.map(({ status }) => status)).toEqual([302, 429]);
});
