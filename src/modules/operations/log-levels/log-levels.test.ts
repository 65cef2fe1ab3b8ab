import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startCaptcha } from '../../../../test/kit/accounts/captcha.ts';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { rawRequest } from '../../../../test/kit/http/raw-http.ts';
import { cutOff } from '../../../../test/kit/processes/outage.ts';
import { LOGGERS } from '../../../platform/observability/loggers.ts';

const captcha = fixture(startCaptcha);
const app = fixture(() => startApp({ env: captcha.env }));
const second = fixture(() => startApp({ database: app.database }));
const staff = fixture(() => app.as({ permissions: ['logger.read', 'logger.write'] }));
afterEach(() => put({ level: {} }));

const put = (body: unknown) => staff.call('PUT', '/admin/logger', { body });
const levels = async (at = app) => (await at.call('GET', '/admin/logger', { token: staff.token })).body;
const configured = Object.fromEntries(['default', ...LOGGERS].map((name) => [name, 'warn']));
const soon = { timeout: 1000, interval: 10 };

describe('log levels', () => {
  test('uses the configured levels unless they are changed, which lasts 15 minutes by default', async () => {
    expect(await levels()).toEqual({ level: configured, expiresAt: null });
    const { status, body } = await put({ level: { http: 'debug' } });
    expect([status, body.level]).toEqual([200, { ...configured, http: 'debug' }]);
    expect(Math.abs(Date.parse(body.expiresAt) - Date.now() - 900_000)).toBeLessThan(5000);
    expect(await levels()).toEqual(body);
    const [row] = await app.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('method', '=', 'PUT')
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    expect([row!.path, row!.permission, row!.before, row!.after]).toEqual([
      '/admin/logger',
      'logger.write',
      {},
      { http: 'debug' },
    ]);
  });

  test('applies changed levels in every process within a second, and in processes that start later', async () => {
    await put({ level: { default: 'info', db: 'error' } });
    await vi.waitFor(
      async () => expect((await levels(second)).level).toMatchObject({ http: 'info', db: 'error' }),
      soon,
    );
    const later = await startApp({ database: app.database });
    expect(await levels(later)).toEqual(await levels());
    await later.stop();
    expect((await put({ level: {} })).body).toEqual({ level: configured, expiresAt: null });
    await vi.waitFor(
      async () => expect(await levels(second)).toEqual({ level: configured, expiresAt: null }),
      soon,
    );
  });

  test('resets expired levels in every process, even without a database connection and after a restart', async () => {
    await put({ level: { default: 'trace' }, ttlSeconds: 2 });
    await vi.waitFor(async () => expect((await levels(second)).level.default).toBe('trace'), {
      timeout: 20_000,
    });
    const later = await startApp({ database: app.database });
    expect(later.services.log.levels().default).toBe('trace');
    const reconnect = await cutOff(app.database);
    try {
      for (const { services } of [app, second, later])
        await vi.waitFor(() => expect(services.log.levels()).toEqual(configured), {
          timeout: 20_000,
          interval: 20,
        });
    } finally {
      await reconnect();
    }
    await vi.waitFor(async () => expect((await app.call('GET', '/health')).status).toBe(200), {
      timeout: 20_000,
    });
    await later.stop();
    const after = await startApp({ database: app.database });
    expect(after.services.log.levels()).toEqual(configured);
    await after.stop();
  });

  test('applies changed levels in a disconnected process when it reconnects', async () => {
    await put({ level: { http: 'info' } });
    await vi.waitFor(() => expect(second.services.log.levels().http).toBe('info'), { timeout: 20_000 });
    const reconnect = await cutOff(app.database);
    await reconnect();
    await vi.waitFor(async () => expect((await put({ level: { http: 'error' } })).status).toBe(200), {
      timeout: 20_000,
    });
    await vi.waitFor(() => expect(second.services.log.levels().http).toBe('error'), { timeout: 20_000 });
  });

  test.each([
    [{ level: { http: 'loud' } }, 'level.http'],
    [{ level: { http: 'silent' } }, 'level.http'],
    [{ level: { other: 'info' } }, 'level.other'],
    [{ level: 'trace' }, 'level'],
    [{}, 'level'],
    [{ level: {}, ttlSeconds: 0 }, 'ttlSeconds'],
    [{ level: { default: 'trace' }, ttlSeconds: 3601 }, 'ttlSeconds'],
    [{ level: { default: 'trace' }, ttlSeconds: 1.5 }, 'ttlSeconds'],
  ])('rejects the log levels %j', async (body, path) => {
    const response = await put(body);
    expect([response.status, response.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(response.body.details.fields.map((f: { path: string }) => f.path)).toContain(path);
    expect((await levels()).level).toEqual(configured);
  });
});

describe('request log at trace level', () => {
  const NASTY = ['\u001b[2J', '\u009b31m', '"}{"level":"error"', '%0d%0a%7b%22level%22', "');--", '%s%o'];

  test('logs one line per request with operation, status and user, but no content', async () => {
    const canary = `canary_${randomBytes(12).toString('hex')}`;
    const player = await app.newPlayer({ usdt: 10 });
    expect((await put({ level: { default: 'trace' }, ttlSeconds: 3600 })).status).toBe(200);
    app.lines.length = 0;
    const seen: [string, string, number][] = [];
    const call = async (method: string, path: string, route: string, options = {}) =>
      seen.push([method, route, (await app.call(method, path, options)).status]);
    const { token } = player;
    const json = { 'content-type': 'application/json' };
    await call('GET', `/user/me?token=${canary}`, '/user/me', { token });
    await call('GET', `/exchange-rates/${canary}`, '/exchange-rates/:currencyId');
    await call('GET', `/nowhere/${canary}?access_token=${canary}`, 'unknown');
    await call('GET', '/user/me', '/user/me', { token: canary });
    await call('GET', '/user/me', '/user/me', {
      headers: { cookie: `__Host-access_token=${canary}`, 'x-api-key': canary },
    });
    await call('POST', '/auth/sign-in', '/auth/sign-in', {
      body: { email: `${canary}@mail.example`, password: canary },
      headers: await captcha.solved(),
    });
    await call('POST', '/auth/sign-in', '/auth/sign-in', { raw: `{"password":"${canary}`, headers: json });
    await call('POST', '/fairness/seeds/rotate', '/fairness/seeds/rotate', {
      token,
      body: { clientSeed: canary },
    });
    await call('PATCH', '/admin/config/COMMON', '/admin/config/:code', {
      token: staff.token,
      body: { x: canary },
    });
    for (const text of NASTY) {
      const headers = { 'user-agent': text, referer: text, 'x-forwarded-for': text, 'x-request-id': text };
      const { status } = await rawRequest(app.url, 'GET', `/version?q=${encodeURIComponent(text)}`, {
        headers,
      });
      // Escape characters are invalid in headers, so the HTTP parser rejects the request.
      if (text.includes('\u001b')) expect(status).toBe(400);
      else seen.push(['GET', '/version', status]);
    }
    expect((await betOnDice(player)).status).toBe(201);
    seen.push(['POST', '/casino/games/house/dice/bet', 201]);

    await vi.waitFor(
      () => expect(app.lines.filter((l) => l.includes('"request"')).length).toBe(seen.length),
      { timeout: 20_000 },
    );
    const entries = app.lines.map((line) => JSON.parse(line));
    const requests = entries.filter((e) => e.msg === 'request');
    expect(requests.map((e) => [e.method, e.route, e.status])).toEqual(seen);
    for (const entry of requests) {
      const { userId, ...rest } = entry;
      expect(new Set(Object.keys(rest))).toEqual(
        new Set([
          'level',
          'time',
          'service',
          'logger',
          'method',
          'route',
          'status',
          'ms',
          'requestId',
          'msg',
        ]),
      );
      expect([undefined, player.id, staff.id]).toContain(userId);
      expect(rest.requestId).toMatch(/^[0-9a-f-]{36}$/);
    }
    for (const line of app.lines) {
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(line.slice(0, -1)).not.toMatch(/\p{Cc}/u);
    }
    const secrets = [canary, token, staff.token, player.refreshToken];
    expect(secrets.filter((secret) => app.lines.some((line) => line.includes(secret)))).toEqual([]);
  });
});
