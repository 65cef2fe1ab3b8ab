import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerHome } from '../docs/home.ts';
import { registerClientAddress } from '../server/client-address.ts';
import { registerBrand } from './brand.ts';
import { registerWebApps } from './web-apps.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-web-'));
const GAMES = ['https://games.example.com', 'https://other.example.com:8443'];
const limiter = { hit: () => 0, add: () => {}, peek: () => 0, close: async () => {} };

beforeAll(() => {
  mkdirSync(join(folder, 'brand'));
  writeFileSync(join(folder, 'brand', 'brand.css'), ':root { --brand-accent: #35e0c2; }');
  writeFileSync(join(folder, 'brand', 'mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'brand', 'icon-192.png'), 'icon');
  writeFileSync(join(folder, 'brand', 'notes.txt'), 'private');
  writeFileSync(join(folder, 'secret.png'), 'secret');
  mkdirSync(join(folder, 'brand', 'old.css'));
  symlinkSync('mark.svg', join(folder, 'brand', 'linked.svg'));
  symlinkSync('loop.svg', join(folder, 'brand', 'loop.svg'));
  symlinkSync('missing.svg', join(folder, 'brand', 'dangling.svg'));
  symlinkSync(join(folder, 'secret.png'), join(folder, 'brand', 'share.png'));
  for (const name of ['lobby', 'console']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'index.html'), '<title>Croupier</title><!-- settings -->');
    mkdirSync(join(folder, name, 'assets'));
    for (const file of ['icon-192-abc.png', 'icon-512-abc.png', 'share-abc.png'])
      writeFileSync(join(folder, name, 'assets', file), file);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function lobbyWith(captchaScript: string | undefined) {
  const app = Fastify();
  registerClientAddress(app, { TRUSTED_PROXIES: [] });
  const apps = [
    {
      name: 'lobby',
      base: '/play',
      folder: join(folder, 'lobby'),
      about: '',
      framesGames: true,
      isFront: true,
    },
    {
      name: 'console',
      base: '/console',
      folder: join(folder, 'console'),
      about: '',
      showsEnvironment: true,
    },
  ];
  // One origin occurs twice, because a provider may be configured in several dialects with the same origin.
  const games = [...GAMES, GAMES[0]!];
  const origins = {
    files: 'https://files.example.com',
    realtime: 'https://live.example.com',
    games,
    site: 'https://casino.example.com',
  };
  registerWebApps(
    app,
    {
      apps,
      origins: { ...origins, captchaScript },
      brand: { name: 'Lagoon', folder: join(folder, 'brand') },
      environment: 'production',
    },
    limiter,
  );
  return app;
}

async function policiesWith(captchaScript: string | undefined): Promise<Record<string, string>> {
  const app = lobbyWith(captchaScript);
  const policyOf = async (url: string) =>
    String((await app.inject({ url })).headers['content-security-policy']);
  const policies = { lobby: await policyOf('/play/games/dice'), console: await policyOf('/console/') };
  await app.close();
  return policies;
}

test('allows the lobby to frame game origins and itself, and the console to frame nothing', async () => {
  const { lobby, console } = await policiesWith(undefined);
  expect(lobby).toContain(`; frame-src 'self' ${GAMES.join(' ')};`);
  expect(lobby).toContain(`; img-src 'self' data: blob: https://files.example.com ${GAMES.join(' ')};`);
  expect(console).toContain("; frame-src 'none';");
});

test('allows both applications to frame the captcha widget', async () => {
  const { lobby, console } = await policiesWith('https://captcha.example.com/api.js');
  expect(lobby).toContain(`; frame-src https://captcha.example.com 'self' ${GAMES.join(' ')};`);
  expect(console).toContain('; frame-src https://captcha.example.com;');
});

test('responds to HEAD on every page as to GET, for monitors and link previews', async () => {
  const app = lobbyWith(undefined);
  for (const url of ['/play/', '/play/games/dice', '/play/leave', '/console/', '/play']) {
    const [get, head] = [await app.inject({ url }), await app.inject({ url, method: 'HEAD' })];
    expect([head.statusCode, head.payload], url).toEqual([get.statusCode, '']);
    for (const name of ['etag', 'content-type', 'content-security-policy', 'location'])
      expect(head.headers[name], `${url} ${name}`).toBe(get.headers[name]);
  }
  await app.close();
});

test('offers to install the lobby under the name and with the icons of the operator', async () => {
  const app = lobbyWith(undefined);
  const response = await app.inject({ url: '/play/manifest.webmanifest' });
  expect(response.headers['content-type']).toContain('application/manifest+json');
  const { name, start_url, icons } = response.json();
  expect([name, start_url]).toEqual(['Lagoon', '/play/']);
  const paths = icons.map(({ src }: { src: string }) => src);
  expect(new Set(paths)).toEqual(
    new Set([expect.stringMatching('^/brand/icon-192.png'), '/play/assets/icon-512-abc.png']),
  );
  for (const url of paths) expect((await app.inject({ url })).statusCode, url).toBe(200);
  const { body, headers } = await app.inject({ url: '/play/' });
  expect(headers['content-security-policy']).toContain("; manifest-src 'self';");
  expect(body).toContain('<title>Lagoon</title>');
  expect(body).toContain(
    'property="og:image" content="https://casino.example.com/play/assets/share-abc.png"',
  );
  expect((await app.inject({ url: '/console/' })).body).not.toContain('manifest');
  await app.close();
});

test('allows only the lobby and game origins to embed the page that closes a game', async () => {
  const app = lobbyWith(undefined);
  const page = await app.inject({ url: '/play/leave' });
  expect(page.statusCode).toBe(200);
  expect(page.headers['x-frame-options']).toBeUndefined();
  expect(page.headers['content-security-policy']).toContain(
    `frame-ancestors 'self' ${[...GAMES, GAMES[0]].join(' ')}`,
  );
  expect(page.headers['content-security-policy']).toMatch(/script-src 'sha256-[^ ]+';/);
  expect((await app.inject({ url: '/play/' })).headers['content-security-policy']).toContain(
    "frame-ancestors 'none'",
  );
  await app.close();
});

test('keeps the query string when it redirects to the lobby', async () => {
  const app = lobbyWith(undefined);
  expect((await app.inject({ url: '/play?ref=summer' })).headers.location).toBe('/play/?ref=summer');
  expect((await app.inject({ url: '/play' })).headers.location).toBe('/play/');
  await app.close();
});

test('responds with the build command until an application is built, and then redirects browsers to it', async () => {
  const app = Fastify();
  registerClientAddress(app, { TRUSTED_PROXIES: [] });
  const later = join(folder, 'later');
  const apps = [{ name: 'lobby', base: '/play', folder: later, about: '', isFront: true }];
  const origins = {
    files: 'https://a.example',
    realtime: 'https://b.example',
    captchaScript: undefined,
    site: 'https://c.example',
  };
  const config = { API_REFERENCE: 'off' };
  registerHome(app, {
    title: 'A',
    description: '',
    routes: [],
    pages: [],
    limiter,
    config,
    web: { apps },
  } as never);
  const home = () => app.inject({ url: '/', headers: { accept: 'text/html' } });
  const pages = { apps, origins: { ...origins, games: [] }, brand: { name: 'Lagoon' }, environment: 'local' };
  registerWebApps(app, pages, limiter);
  expect((await home()).statusCode).toBe(200);
  for (const url of ['/play/', '/play/games/dice']) {
    const { statusCode, body } = await app.inject({ url });
    expect([statusCode, body]).toEqual([404, expect.stringContaining('npm run web')]);
  }
  mkdirSync(later);
  writeFileSync(join(later, 'index.html'), '<title>built</title><!-- settings -->');
  const { statusCode, body } = await app.inject({ url: '/play/' });
  expect([statusCode, body]).toEqual([200, expect.stringContaining('<title>built')]);
  expect((await home()).headers.location).toBe('/play/');
  await app.close();
});

test("shows the operator's brand in the lobby, and only its name in the console", async () => {
  const app = lobbyWith(undefined);
  const lobby = (await app.inject({ url: '/play/' })).body;
  const console = (await app.inject({ url: '/console/' })).body;
  const stylesheet = /href="(\/brand\/brand[.]css[?]v=[\w-]+)"/.exec(lobby)?.[1];
  expect(lobby).toContain('"name":"Lagoon","mark":"/brand/mark.svg?v=');
  expect(lobby).not.toContain('wordmark');
  expect(console).toContain('"name":"Lagoon"');
  expect(console).not.toContain('brand.css');
  const { headers, body } = await app.inject({ url: stylesheet! });
  expect([headers['content-type'], body]).toEqual([
    'text/css; charset=utf-8',
    ':root { --brand-accent: #35e0c2; }',
  ]);
  await app.close();
});

test('tells only the console in which environment it runs', async () => {
  const app = lobbyWith(undefined);
  expect((await app.inject({ url: '/console/' })).body).toContain('"environment":"production"');
  expect((await app.inject({ url: '/play/' })).body).not.toContain('environment');
  await app.close();
});

test('serves only styles, drawings and fonts of the brand', async () => {
  const app = lobbyWith(undefined);
  expect((await app.inject({ url: '/brand/notes.txt' })).statusCode).not.toBe(200);
  expect((await app.inject({ url: '/brand/..%2Fbrand%2Fnotes.txt' })).statusCode).not.toBe(200);
  await app.close();
});

/** Starts an application with the files of a folder, and returns it with the names of the skipped entries. */
function brandOf(path: string) {
  const app = Fastify();
  registerClientAddress(app, { TRUSTED_PROXIES: [] });
  const skipped: unknown[] = [];
  const log = { warn: (fields: { name: string }) => skipped.push(fields.name) };
  registerBrand(app, { name: 'Lagoon', folder: path, log: log as never }, limiter);
  return { app, skipped };
}

test('serves only regular files inside the folder of the brand, and warns about other entries', async () => {
  const { app, skipped } = brandOf(join(folder, 'brand'));
  expect(new Set(skipped)).toEqual(
    new Set(['dangling.svg', 'loop.svg', 'notes.txt', 'old.css', 'share.png']),
  );
  const statusOf = async (name: string) => (await app.inject({ url: `/brand/${name}` })).statusCode;
  expect([await statusOf('mark.svg'), await statusOf('linked.svg')]).toEqual([200, 200]);
  for (const name of ['share.png', 'old.css', 'dangling.svg'])
    expect(await statusOf(name), name).not.toBe(200);
  await app.close();
});

test.each([
  ['brandd', 'does not exist'],
  ['secret.png', 'is not a folder'],
  ['brand/loop.svg', 'cannot be read (ELOOP)'],
])('does not start when BRAND_DIR is %s, which %s', (name, problem) => {
  const path = join(folder, name);
  expect(() => brandOf(path)).toThrow(`BRAND_DIR ${problem}: ${path}.`);
});

test('lets browsers keep a file of the brand forever only with its version', async () => {
  const { app } = brandOf(join(folder, 'brand'));
  const cacheOf = async (url: string) => (await app.inject({ url })).headers['cache-control'];
  const lobby = lobbyWith(undefined);
  const current = /\/brand\/brand[.]css[?]v=[\w-]+/.exec((await lobby.inject({ url: '/play/' })).body)?.[0];
  expect(await cacheOf(current!)).toBe('public, max-age=31536000, immutable');
  for (const url of ['/brand/brand.css', '/brand/brand.css?v=zzz', `${current}&v=zzz`])
    expect(await cacheOf(url), url).toBe('public, max-age=300');
  await Promise.all([app.close(), lobby.close()]);
});
