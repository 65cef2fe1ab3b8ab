import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

async function policiesWith(captchaScript: string | undefined): Promise<Record<string, string>> {
  const app = Fastify();
  const apps = [
    { name: 'lobby', base: '/play', folder: join(folder, 'lobby'), about: '', framesGames: true },
    { name: 'console', base: '/console', folder: join(folder, 'console'), about: '' },
  ];
  // A supplier may be configured in several dialects with one origin.
  const games = [...GAMES, GAMES[0]!];
  const origins = { files: 'https://files.example.com', realtime: 'https://live.example.com', games };
  registerWebApps(app, { apps, origins: { ...origins, captchaScript } }, limiter);
  const policyOf = async (url: string) =>
    String((await app.inject({ url })).headers['content-security-policy']);
  const policies = { lobby: await policyOf('/play/games/dice'), console: await policyOf('/console/') };
  await app.close();
  return policies;
}

test('games of suppliers open in frames of the lobby, from their origins alone; the console frames nothing', async () => {
  const { lobby, console } = await policiesWith(undefined);
  expect(lobby).toContain(`; frame-src ${GAMES.join(' ')};`);
  expect(lobby).toContain(`; img-src 'self' data: blob: https://files.example.com ${GAMES.join(' ')};`);
  expect(console).toContain("; frame-src 'none';");
});

test('the widget of the captcha opens in a frame of both', async () => {
  const { lobby, console } = await policiesWith('https://captcha.example.com/api.js');
  expect(lobby).toContain(`; frame-src https://captcha.example.com ${GAMES.join(' ')};`);
  expect(console).toContain('; frame-src https://captcha.example.com;');
});
