import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerHome } from '../docs/home.ts';
import { registerClientAddress } from '../server/client-address.ts';
import { registerWebApps } from './web-apps.ts';

const folder = mkdtempSync(join(tmpdir(), 'croupier-web-'));
const GAMES = ['https://games.example.com', 'https://other.example.com:8443'];
const limiter = { hit: () => 0, add: () => {}, peek: () => 0, close: async () => {} };

beforeAll(() => {
  for (const name of ['lobby', 'console']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'index.html'), '<title>page</title><!-- settings -->');
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function lobbyWith(captchaScript: string | undefined) {
  const app = Fastify();
  registerClientAddress(app, { TRUSTED_PROXIES: [] });
  const apps = [
    { name: 'lobby', base: '/play', folder: join(folder, 'lobby'), about: '', framesGames: true },
    { name: 'console', base: '/console', folder: join(folder, 'console'), about: '' },
  ];
  // One origin occurs twice, because a provider may be configured in several dialects with the same origin.
  const games = [...GAMES, GAMES[0]!];
  const origins = { files: 'https://files.example.com', realtime: 'https://live.example.com', games };
  registerWebApps(app, { apps, origins: { ...origins, captchaScript } }, limiter);
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
  const origins = { files: 'https://a.example', realtime: 'https://b.example', captchaScript: undefined };
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
  registerWebApps(app, { apps, origins: { ...origins, games: [] } }, limiter);
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
