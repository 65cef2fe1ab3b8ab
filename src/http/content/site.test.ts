import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerClientAddress } from '../server/client-address.ts';
import { isSiteBuilt, registerSite } from './site.ts';

const parent = mkdtempSync(join(tmpdir(), 'croupier-site-'));
const folder = join(parent, 'site');
const SCRIPT = 'document.title';
const FILES: Record<string, string> = {
  '../secret.txt': 'secret',
  'index.html': `<script id="theme">${SCRIPT}</script><script src="/docs/assets/app.js"></script><style>p{}</style>`,
  'how-to/index.html': 'guides',
  'how-to/upgrade.html': 'upgrade',
  'how-to/upgrade.md': '# Upgrade',
  'assets/chunks/app.1a2b.js': 'export {}',
  'diagrams/one.svg': '<svg></svg>',
  '404.html': 'no such page',
  'llms.txt': '# Pages',
};
const limiter = { hit: () => 0, add: () => {}, peek: () => 0, close: async () => {} };
const app = Fastify();
const get = (url: string, headers = {}) => app.inject({ url, headers });
const BROWSER = { accept: 'text/html' };

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

beforeAll(() => {
  registerClientAddress(app, { TRUSTED_PROXIES: [] });
  registerSite(app, folder, limiter);
});
afterAll(async () => {
  await app.close();
  rmSync(parent, { recursive: true });
});

test('names the command that builds the site until it is built', async () => {
  for (const url of ['/docs/', '/docs/how-to/upgrade']) {
    const { statusCode, body } = await get(url, BROWSER);
    expect([statusCode, body]).toEqual([404, expect.stringContaining('npm run docs')]);
  }
  write(FILES);
  expect((await get('/docs/')).statusCode).toBe(200);
});

test.each([
  ['/docs/how-to/', 'text/html; charset=utf-8', 'guides'],
  ['/docs/how-to/upgrade', 'text/html; charset=utf-8', 'upgrade'],
  ['/docs/how-to/upgrade.md', 'text/markdown; charset=utf-8', '# Upgrade'],
  ['/docs/assets/chunks/app.1a2b.js', 'text/javascript; charset=utf-8', 'export {}'],
  ['/docs/diagrams/one.svg', 'image/svg+xml', '<svg></svg>'],
  ['/docs/llms.txt', 'text/plain; charset=utf-8', '# Pages'],
])('serves %s', async (url, type, body) => {
  const answer = await get(url);
  expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([200, type, body]);
});

test('allows the inline scripts and style sheets of a page by their hashes', async () => {
  const policy = String((await get('/docs/')).headers['content-security-policy']);
  const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');
  expect(policy).toContain(
    `script-src 'self' 'sha256-${hashOf(SCRIPT)}'; style-src 'self' 'sha256-${hashOf('p{}')}';`,
  );
  expect(policy).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test('caches only files with a hash in their names, and confirms an unchanged page', async () => {
  expect((await get('/docs/assets/chunks/app.1a2b.js')).headers['cache-control']).toContain('immutable');
  const { headers } = await get('/docs/how-to/upgrade');
  expect(headers['cache-control']).toBe('no-cache');
  expect((await get('/docs/how-to/upgrade', { 'if-none-match': headers.etag })).statusCode).toBe(304);
});

test('redirects the name of a folder, and serves the page for unknown addresses to browsers only', async () => {
  expect((await get('/docs/how-to')).headers.location).toBe('/docs/how-to/');
  const page = await get('/docs/how-to/nothing', BROWSER);
  expect([page.statusCode, page.body]).toEqual([404, 'no such page']);
  expect((await get('/docs/how-to/nothing')).body).not.toContain('no such page');
});

test('serves no file outside the folder', async () => {
  for (const path of [
    '../secret.txt',
    '%2e%2e/secret.txt',
    '%2e%2e%2fsecret.txt',
    'how-to/..%2f..%2f../secret.txt',
    '..%5csecret.txt',
  ]) {
    const { statusCode, body } = await get(`/docs/${path}`);
    expect(statusCode, path).not.toBe(200);
    expect(body, path).not.toBe('secret');
  }
});

test('keeps serving the last build while the folder is being built again', async () => {
  expect(isSiteBuilt(folder)).toBe(true);
  const before = (await get('/docs/how-to/')).body;
  rmSync(join(folder, 'llms.txt'));
  rmSync(join(folder, 'how-to/index.html'));
  expect(isSiteBuilt(folder)).toBe(false);
  expect((await get('/docs/how-to/')).body).toBe(before);
  write(FILES);
});

test('serves the pages of a new build', async () => {
  write({ 'how-to/upgrade.html': 'another upgrade' });
  utimesSync(join(folder, 'llms.txt'), new Date(), new Date(Date.now() + 5000));
  expect((await get('/docs/how-to/upgrade')).body).toBe('another upgrade');
});
