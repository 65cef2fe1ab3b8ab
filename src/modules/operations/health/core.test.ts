import { describe, expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { metricValue } from '../../../../test/kit/metrics.ts';
import { cutOff } from '../../../../test/kit/processes/outage.ts';
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
  test('returns 200 with all components when everything is up', async () => {
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

  test('returns 503 but stays alive when the database is lost, and returns 200 after the database recovers', async () => {
    const health = (path: string) => app.call('GET', path);
    const reconnect = await cutOff(app.database);
    try {
      await vi.waitFor(async () => expect((await health('/health')).status).toBe(503), {
        timeout: 2000,
        interval: 10,
      });
      const down = expect.objectContaining({ status: 'down' });
      const unhealthy = await health('/health');
      expect(unhealthy.body).toMatchObject({
        status: 'error',
        info: up('durability'),
        error: { database: down, commits: down },
      });
      const ready = await health('/health/ready');
      expect(ready.status).toBe(503);
      expect(Object.keys(ready.body.error)).toEqual(['database', 'commits', 'queue']);
      expect((await health('/health/live')).status).toBe(200);
    } finally {
      await reconnect();
    }
    for (const { call } of [app, backoffice])
      await vi.waitFor(async () => expect((await call('GET', '/health')).status).toBe(200), {
        timeout: 20_000,
        interval: 20,
      });
  });

  test('returns 503 but stays alive while shutting down', async () => {
    const stopping = await startApp({ database: app.database });
    stopping.services.core.startShutdown();
    for (const path of ['/health', '/health/ready']) {
      const { status, body } = await stopping.call('GET', path);
      expect([status, body.status]).toEqual([503, 'shutting_down']);
    }
    expect((await stopping.call('GET', '/health/live')).status).toBe(200);
    await stopping.stop();
  });
});

test('returns the deployed version and commit', async () => {
  const { status, body } = await app.call('GET', '/version');
  expect(status).toBe(200);
  expect(body).toEqual({ version: VERSION, commit: 'abc1234', time: expect.any(String) });
  expect(Math.abs(Date.parse(body.time) - Date.now())).toBeLessThan(5000);
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+/);
});

describe('GET /metrics', () => {
  const from = (app: TestApp, headers: Record<string, string>) => app.call('GET', '/metrics', { headers });

  test('allows only direct local callers to read metrics when METRICS_TOKEN is not set', async () => {
    expect((await from(app, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(404);
    expect((await from(app, {})).status).toBe(200);
    const { status, text, headers } = await from(app, {});
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toMatch(
      /^croupier_http_requests_total\{method="GET",route="\/metrics",status="2xx",part="api"\} [1-9]/m,
    );
    expect(text).toMatch(/^croupier_bets_settled_total|^# HELP croupier_bets_settled_total/m);
    const proxied = await startApp({ database: app.database, env: { TRUSTED_PROXIES: '127.0.0.1' } });
    for (const address of ['203.0.113.9', '127.0.0.1, 203.0.113.9', '::1, 203.0.113.9', '2001:db8::1']) {
      const response = await from(proxied, { 'x-forwarded-for': address });
      expect([response.status, response.body.code], address).toEqual([404, 'NOT_FOUND']);
    }
    expect((await from(proxied, {})).status).toBe(200);
    await proxied.stop();
  });

  test('labels requests with their route pattern, or with no pattern if no route matches', async () => {
    const player = await app.newPlayer();
    await player.call('GET', '/bets/house-games/info/0190a1b2-0000-7000-8000-000000000001');
    for (const path of ['/nowhere/1', '/nowhere/2', '/casino/%00']) await app.call('GET', path);
    await app.call('PROPFIND', '/nowhere/3');
    const { text } = await from(app, {});
    const count = (labels: string) => metricValue(text, 'croupier_http_requests_total', labels) ?? 0;
    expect(count('method="GET",route="/bets/house-games/info/:betId",status="4xx"')).toBe(1);
    expect(count('method="none",route="none",status="4xx"')).toBeGreaterThanOrEqual(3);
    const timed = metricValue(
      text,
      'croupier_http_request_duration_seconds_count',
      'route="/bets/house-games/info/:betId"',
    );
    expect(timed).toBe(1);
    expect(text).not.toMatch(/nowhere|0190a1b2/);
  });

  test('includes the running version and commit in the metrics', async () => {
    const { text } = await from(app, {});
    expect(text).toContain(`croupier_build_info{version="${VERSION}",commit="abc1234",part="api"} 1`);
  });

  test('allows callers that send METRICS_TOKEN to read metrics from any address, and rejects all others', async () => {
    const authorization = 'Bearer a token for the metrics';
    expect((await from(backoffice, { authorization })).status).toBe(200);
    expect((await from(backoffice, { authorization, 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
    for (const other of ['', 'Bearer', 'Bearer a token for the metric', `${authorization}s`, 'bearer x'])
      expect((await from(backoffice, other ? { authorization: other } : {})).status, other).toBe(404);
  });
});

describe('API reference', () => {
  test('serves an OpenAPI 3.0.0 document that shows who may call each operation', async () => {
    const { status, body, headers } = await app.call('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect([body.openapi, body.info.version]).toEqual(['3.0.0', '1.0']);
    expect(body.paths['/auth/sign-in'].post.summary).toBe('Sign in (Anonymous)');
    expect(body.paths['/user/me'].get.summary).toMatch(/ \(Auth\)$/);
    expect((await backoffice.call('GET', '/openapi.json')).body.info.title).toBe('Croupier Backoffice API');
  });

  test('serves an API reference that loads nothing from other sites', async () => {
    for (const { call, url } of [app, backoffice]) {
      const page = await fetch(`${url}/docs/api`);
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
      const script = await call('GET', new URL(scripts[0]!, `${url}/docs/api/`).pathname);
      expect(script.status).toBe(200);
      expect(script.headers.get('content-type')).toMatch(/javascript/);
      const former = await call('GET', '/docs/js/scalar.js');
      expect([former.status, former.headers.get('location')]).toEqual([302, '/docs/api/js/scalar.js']);
    }
  });

  test('redirects the former address of the reference on a service without a documentation site', async () => {
    const { status, headers } = await backoffice.call('GET', '/docs/');
    expect([status, headers.get('location')]).toEqual([302, '/docs/api/']);
  });
});
