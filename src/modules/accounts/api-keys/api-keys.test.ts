import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { storedTexts } from '../../../../test/kit/http/fingerprint.ts';
import { route } from '../../../http/route.ts';

const CODES = route({
  method: 'GET',
  path: '/test/partner-codes',
  tag: 'Test',
  access: 'apikey',
  summary: 'For the test',
  response: z.object({ userId: z.number(), keyId: z.string() }),
  handler: ({ client }) => client!,
});
const extraRoutes = [CODES];

const app = fixture(() => startApp({ extraRoutes, env: { LOG_LEVEL: 'trace' } }));
const second = fixture(() => startApp({ extraRoutes, database: app.database }));
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const clerk = fixture(() => app.as({ permissions: ['apikey.read', 'apikey.write'] }));

const make = (userId: unknown, by = clerk) => by.call('POST', '/admin/api-keys', { body: { userId } });
const use = (key: string, at = app) =>
  at.call('GET', '/test/partner-codes', { headers: { 'x-api-key': key } });
const refused = async (key: string, at = app) => {
  const { status, body } = await use(key, at);
  return `${status} ${body.code}`;
};
const INVALID = '401 API_KEY_INVALID';

describe('API keys', () => {
  test('returns the whole key only once, masks it afterwards and stores only its hash', async () => {
    const { id } = await app.newPlayer();
    const { status, body } = await make(id);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^ck_[\w-]{43}$/),
      userId: id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const seen = await clerk.call('GET', `/admin/api-keys/${id}`);
    expect(seen.status).toBe(200);
    expect(seen.body).toEqual({ ...body, key: `${body.key.slice(0, 7)}…` });

    const row = await app.db
      .selectFrom('api_keys')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.hash).toEqual(createHash('sha256').update(body.key).digest());
    expect([...(await storedTexts(app.db))].filter((text) => text.includes(body.key.slice(7)))).toEqual([]);
    expect((await use(body.key)).body).toEqual({ userId: id, keyId: body.id });
    expect(app.lines.filter((line) => line.includes(body.key.slice(7)))).toEqual([]);
  });

  test('invalidates a replaced or revoked key immediately in every process', async () => {
    const { id } = await app.newPlayer();
    const first = (await make(id)).body.key;
    for (const at of [app, second]) expect((await use(first, at)).status).toBe(200);
    const next = (await make(id)).body.key;
    for (const at of [app, second]) {
      expect(await refused(first, at)).toBe(INVALID);
      expect((await use(next, at)).status).toBe(200);
    }
    const gone = await clerk.call('DELETE', `/admin/api-keys/${id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const at of [app, second]) expect(await refused(next, at)).toBe(INVALID);
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await clerk.call(method, `/admin/api-keys/${id}`);
      expect([status, body.code]).toEqual([404, 'API_KEY_NOT_FOUND']);
    }
  });

  test('leaves one valid key when twenty are created concurrently', async () => {
    const { id } = await app.newPlayer();
    const made = await Promise.all(Array.from({ length: 20 }, () => make(id)));
    expect(made.map((m) => m.status)).toEqual(Array(20).fill(201));
    const alive = await Promise.all(made.map(async (m) => (await use(m.body.key)).status));
    expect(alive.filter((status) => status === 200)).toHaveLength(1);
  });

  test('rejects the key of a banned user until the ban is lifted', async () => {
    const { id } = await app.newPlayer();
    const { key } = (await make(id)).body;
    const ban = (at: Date | null) =>
      app.db.updateTable('users').set({ banned_at: at }).where('id', '=', id).execute();
    await ban(new Date());
    expect(await refused(key)).toBe(INVALID);
    await ban(null);
    expect((await use(key)).status).toBe(200);
  });

  test('accepts only the exact key, and only in the x-api-key header', async () => {
    const { id } = await app.newPlayer();
    const { key } = (await make(id)).body;
    const flipped = key.at(-2) === 'A' ? 'B' : 'A';
    const wrong = [
      '',
      ' ',
      'ck_',
      'x',
      key.slice(3),
      key.slice(0, -1),
      `${key}x`,
      `${key},${key}`,
      key.toLowerCase(),
      `${key.slice(0, -2)}${flipped}${key.at(-1)}`,
      createHash('sha256').update(key).digest('hex'),
      `${key.slice(0, 7)}…`.replace('…', '...'),
      'k'.repeat(5000),
    ];
    for (const other of wrong) expect(await refused(other), other.slice(0, 60)).toBe(INVALID);
    for (const name of ['X-API-KEY', 'x-Api-Key']) {
      expect((await app.call('GET', '/test/partner-codes', { headers: { [name]: key } })).status).toBe(200);
    }
    for (const query of [`api_key=${key}`, `apiKey=${key}`, `x-api-key=${key}`]) {
      const bare = await app.call('GET', `/test/partner-codes?${query}`);
      expect([bare.status, bare.body.code]).toEqual([401, 'API_KEY_INVALID']);
      const both = await app.call('GET', `/test/partner-codes?${query}`, { headers: { 'x-api-key': key } });
      expect([both.status, both.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    }
    for (const headers of [{ authorization: `Bearer ${key}` }, { cookie: `x-api-key=${key}` }])
      expect((await app.call('GET', '/test/partner-codes', { headers })).status).toBe(401);
    expect((await clerk.call('GET', '/test/partner-codes')).status).toBe(401);
    expect((await app.call('GET', '/user/me', { headers: { 'x-api-key': key } })).status).toBe(401);
    expect(app.lines.filter((line) => line.includes(key.slice(7)))).toEqual([]);
  });

  test('rate-limits each key separately', async () => {
    const limited = await startApp({ extraRoutes, database: app.database, env: { RATE_LIMIT_APIKEY: '3' } });
    const [one, other] = [await app.newPlayer(), await app.newPlayer()];
    const [key, free] = [(await make(one.id)).body.key, (await make(other.id)).body.key];
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await use(key, limited)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const over = await use(key, limited);
    expect([over.body.code, Number(over.headers.get('retry-after')) > 0]).toEqual(['RATE_LIMITED', true]);
    expect((await use(free, limited)).status).toBe(200);
    await limited.stop();
  });

  test('rejects staff who create keys for themselves, for superadmins (unless they are one) or for unknown users', async () => {
    const boss = await app.as('superadmin');
    const answers: [number, string][] = [];
    for (const [userId, by] of [
      [clerk.id, clerk],
      [boss.id, clerk],
      [boss.id, boss],
      [2_147_483_647, clerk],
      ['1', clerk],
    ] as const) {
      const { status, body } = await make(userId, by);
      answers.push([status, body.code]);
    }
    expect(answers).toEqual([
      [403, 'OWN_ACCOUNT'],
      [403, 'FORBIDDEN'],
      [403, 'OWN_ACCOUNT'],
      [404, 'USER_NOT_FOUND'],
      [400, 'VALIDATION_FAILED'],
    ]);
    const chief = await app.as('superadmin');
    expect((await make(boss.id, chief)).status).toBe(201);
    const end = await clerk.call('DELETE', `/admin/api-keys/${boss.id}`);
    expect([end.status, end.body.code]).toEqual([403, 'FORBIDDEN']);
    const own = await boss.call('DELETE', `/admin/api-keys/${boss.id}`);
    expect([own.status, own.body.code]).toEqual([403, 'OWN_ACCOUNT']);
    expect((await clerk.call('GET', '/admin/api-keys/none')).body.code).toBe('API_KEY_NOT_FOUND');
  });

  test("offers the same routes in the backoffice, and audits the staff member and the key's owner but not the key", async () => {
    const { id } = await app.newPlayer();
    const at = (method: string, path: string, body?: object) =>
      backoffice.call(method, path, { token: clerk.token, body });
    const made = await at('POST', '/api-keys', { userId: id });
    expect([made.status, made.body.key.length]).toEqual([201, 46]);
    expect((await use(made.body.key)).status).toBe(200);
    expect((await at('GET', `/api-keys/${id}`)).body.key).toBe(`${made.body.key.slice(0, 7)}…`);
    expect((await at('DELETE', `/api-keys/${id}`)).status).toBe(204);
    expect((await at('DELETE', `/api-keys/${id}`)).body.code).toBe('API_KEY_NOT_FOUND');
    const rows = await app.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('service', '=', 'backoffice')
      .orderBy('id')
      .execute();
    const which = {
      id: made.body.id,
      userId: id,
      startsWith: made.body.key.slice(0, 7),
      createdAt: made.body.createdAt,
    };
    expect(rows.map((r) => [r.method, r.path, r.status_code, r.before, r.after])).toEqual([
      ['POST', '/api-keys', 201, null, which],
      ['GET', `/api-keys/${id}`, 200, null, null],
      ['DELETE', `/api-keys/${id}`, 204, which, null],
      ['DELETE', `/api-keys/${id}`, 404, null, null],
    ]);
    expect([...(await storedTexts(app.db))].filter((text) => text.includes(made.body.key.slice(7)))).toEqual(
      [],
    );
  });
});
