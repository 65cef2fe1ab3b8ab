import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { withinOneMinute } from '../../../../../test/kit/until.ts';

const html = readFileSync(join(import.meta.dirname, '../../../../../web/verifier/verify.html'), 'utf8');
const inside = (tag: string) => new RegExp(`<${tag}>([\\s\\S]*)</${tag}>`).exec(html)![1]!;
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

const app = fixture(startApp);

test('serves /verify to anyone, with a Content-Security-Policy that allows only its own script and style', async () => {
  const { status, headers, text } = await app.call('GET', '/verify');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toBe(html);
  expect(headers.get('content-security-policy')!.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${sha256(inside('script'))}'`,
    `style-src 'sha256-${sha256(inside('style'))}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
});

test('returns 304 for a cached page', async () => {
  const etag = (await app.call('GET', '/verify')).headers.get('etag')!;
  const again = await app.call('GET', '/verify', { headers: { 'if-none-match': etag } });
  expect([again.status, again.text]).toEqual([304, '']);
  const other = await app.call('GET', '/verify', { headers: { 'if-none-match': '"x"' } });
  expect(other.status).toBe(200);
});

test('refers to no external resource', () => {
  expect(html).not.toMatch(
    /\b(src|href|action)=|@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|\beval\(/,
  );
  expect(html.match(/https?:\/\/[^\s'"`]+/g)).toEqual(['http://www.w3.org/2000/svg']);
});

test('omits the page from the OpenAPI document and from the other APIs', async () => {
  expect(Object.keys((await app.call('GET', '/openapi.json')).body.paths)).not.toContain('/verify');
  const limited = await startApp({ database: app.database, env: { RATE_LIMIT_FILE: '1' } });
  await withinOneMinute();
  expect((await limited.call('GET', '/verify')).status).toBe(200);
  expect((await limited.call('GET', '/verify')).body.code).toBe('RATE_LIMITED');
  await limited.stop();
});
