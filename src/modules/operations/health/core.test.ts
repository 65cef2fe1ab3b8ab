import { describe, expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { cutOff } from '../../../../test/kit/outage.ts';
import { VERSION } from '../../../platform/version.ts';

const app = fixture(() => startApp({ env: { COMMIT: 'abc1234' } }));
const backoffice = fixture(() =>
  startApp({
    part: 'backoffice',
    database: app.database,
    env: { METRICS_TOKEN: 'a token for the metrics', TRUSTED_PROXIES: '127.0.0.1' },
  }),
);

const up = (...names: string[]) =>
  Object.fromEntries(names.map((n) => [n, expect.objectContaining({ status: 'up' })]));

describe('health', () => {
  test('all is well: 200 with what is up', async () => {
    for (const { call } of [app, backoffice]) {
      const { status, body } = await call('GET', '/health');
      expect(status).toBe(200);
      const parts = up('database', 'commits', 'primary', 'durability', 'watermark');
      expect(body).toEqual({ status: 'ok', info: parts, error: {}, details: parts });
    }
    const ready = await app.call('GET', '/health/ready');
    expect(ready.status).toBe(200);
    const parts = up('database', 'commits', 'primary', 'queue', 'migrations', 'watermark');
    expect(ready.body).toEqual({ status: 'ok', info: parts, error: {}, details: parts });
    const live = await app.call('GET', '/health/live');
    expect([live.status, live.body]).toEqual([200, { status: 'ok' }]);
  });

  test('the database is gone: 503 that names it, still alive, and 200 when it is back', async () => {
    const health = (path: string) => app.call('GET', path);
    const mend = await cutOff(app.database);
    try {
      await vi.waitFor(async () => expect((await health('/health')).status).toBe(503), {
        timeout: 2000,
        interval: 10,
      });
      const down = expect.objectContaining({ status: 'down' });
      const sick = await health('/health');
      expect(sick.body).toMatchObject({
        status: 'error',
        info: up('durability'),
        error: { database: down, commits: down },
      });
      const ready = await health('/health/ready');
      expect(ready.status).toBe(503);
      expect(Object.keys(ready.body.error)).toEqual(['database', 'commits', 'queue']);
      expect((await health('/health/live')).status).toBe(200);
    } finally {
      await mend();
    }
    for (const { call } of [app, backoffice])
      await vi.waitFor(async () => expect((await call('GET', '/health')).status).toBe(200), {
        timeout: 20_000,
        interval: 20,
      });
  });

  test('about to stop: 503 shutting_down, still alive', async () => {
    const leaving = await startApp({ database: app.database });
    leaving.services.core.startShutdown();
    for (const path of ['/health', '/health/ready']) {
      const { status, body } = await leaving.call('GET', path);
      expect([status, body.status]).toEqual([503, 'shutting_down']);
    }
    expect((await leaving.call('GET', '/health/live')).status).toBe(200);
    await leaving.stop();
  });
});

test('GET /version says what was deployed', async () => {
  const { status, body } = await app.call('GET', '/version');
  expect(status).toBe(200);
  expect(body).toEqual({ version: VERSION, commit: 'abc1234', time: expect.any(String) });
  expect(Math.abs(Date.parse(body.time) - Date.now())).toBeLessThan(5000);
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
});

describe('metrics', () => {
  const from = (app: TestApp, headers: Record<string, string>) => app.call('GET', '/metrics', { headers });

  test('without METRICS_TOKEN for the loopback address alone, which nobody can pretend', async () => {
    const { status, text, headers } = await from(app, { 'x-forwarded-for': '203.0.113.9' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toMatch(/^http_requests_total\{status="2xx",service="api"\} [1-9]/m);
    expect(text).toMatch(/^bets_settled_total|^# HELP bets_settled_total/m);
    const proxied = await startApp({ database: app.database, env: { TRUSTED_PROXIES: '127.0.0.1' } });
    for (const address of ['203.0.113.9', '127.0.0.1, 203.0.113.9', '::1, 203.0.113.9', '2001:db8::1']) {
      const answer = await from(proxied, { 'x-forwarded-for': address });
      expect([answer.status, answer.body.code], address).toEqual([404, 'NOT_FOUND']);
    }
    expect((await from(proxied, {})).status).toBe(200);
    await proxied.stop();
  });

  test('with METRICS_TOKEN for callers that send it, from anywhere, and for nobody else', async () => {
    const authorization = 'Bearer a token for the metrics';
    expect((await from(backoffice, { authorization })).status).toBe(200);
    expect((await from(backoffice, { authorization, 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
    for (const other of ['', 'Bearer', 'Bearer a token for the metric', `${authorization}s`, 'bearer x'])
      expect((await from(backoffice, other ? { authorization: other } : {})).status, other).toBe(404);
  });
});

describe('the description of the service', () => {
  test('GET /openapi.json is OpenAPI 3.0.0, version 1.0, and names every route with its access', async () => {
    const { status, body, headers } = await app.call('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect([body.openapi, body.info.version]).toEqual(['3.0.0', '1.0']);
    expect(body.paths['/auth/sign-in'].post.summary).toBe('Sign in (Anonymous)');
    expect(body.paths['/user/me'].get.summary).toMatch(/ \(Auth\)$/);
    expect((await backoffice.call('GET', '/openapi.json')).body.info.title).toBe('Croupier Backoffice API');
  });

  test('GET /docs is a page that loads nothing from elsewhere', async () => {
    for (const { call, url } of [app, backoffice]) {
      const page = await fetch(`${url}/docs`);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      const html = await page.text();
      expect(html).toContain('/openapi.json');
      expect(html.match(/(https?:)?\/\/[a-z0-9-]+\.[a-z]/gi) ?? []).toEqual([]);
      const csp = page.headers.get('content-security-policy')!;
      expect(csp).toMatch(/^default-src 'none';/);
      expect(csp).not.toMatch(/https?:|\*|(^|; )[a-z-]+-src [^;]*\b[a-z-]+\.[a-z]/);
      const scripts = [...html.matchAll(/<script[^>]*\ssrc="([^"]*)"/g)].map(([, src]) => src!);
      expect(scripts).toHaveLength(1);
      const script = await call('GET', new URL(scripts[0]!, `${url}/docs/`).pathname);
      expect(script.status).toBe(200);
      expect(script.headers.get('content-type')).toMatch(/javascript/);
    }
  });
});
