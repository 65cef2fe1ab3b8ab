import { describe, expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const GERMAN = '5.9.0.1';
const AMERICAN = '8.8.8.8';
const env = { TRUSTED_PROXIES: '127.0.0.1' };

const app = fixture(() => startApp({ env }));
const other = fixture(() => startApp({ env, database: app.database }));
const staff = fixture(() => app.as({ permissions: ['country.read', 'country.write'] }));

const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
const block = (code: string, isBlocked: boolean) =>
  staff.call('PATCH', `/admin/country/${code}`, { body: { isBlocked } });

describe('GET /geo', () => {
  test.each([
    [GERMAN, 'DE'],
    [AMERICAN, 'US'],
    ['2001:4860:4860::8888', 'US'],
    ['::ffff:8.8.8.8', 'US'],
    ['10.0.0.1', null],
  ])('locates %s in %s', async (ip, countryCode) => {
    const { status, body } = await app.call('GET', '/geo', from(ip));
    expect(status).toBe(200);
    expect(body).toMatchObject({ countryCode, isBlocked: false, reason: null });
  });

  test('ignores a forged client address header when no proxy is trusted', async () => {
    const plain = await startApp({ database: app.database });
    const { body } = await plain.call('GET', '/geo', from(GERMAN));
    expect(body).toEqual({ countryCode: null, isBlocked: false, reason: null, ip: '127.0.0.1' });
    await plain.stop();
  });
});

describe('GET /country', () => {
  test('lists all countries by name in pages, and returns the correct total beyond the last page', async () => {
    const all = await app.call('GET', '/country?take=300');
    expect(all.body.total).toBe(252);
    expect(all.body.data).toHaveLength(252);
    expect(all.body.data.map((c: { name: string }) => c.name)).toContain('Germany');
    const [first, second] = [
      await app.call('GET', '/country'),
      await app.call('GET', '/country?page=2&take=20'),
    ];
    expect([...first.body.data, ...second.body.data]).toEqual(all.body.data.slice(0, 40));
    const beyond = await app.call('GET', '/country?page=9007199254740991');
    expect(beyond.body).toMatchObject({ data: [], total: 252, totalPages: 13 });
  });
});

describe('/admin/country', () => {
  test('blocks a country in every process within a second and writes an audit log entry', async () => {
    await block('DE', false);
    const response = await block('DE', true);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ name: 'Germany', code: 'DE', dialCode: '49', isBlocked: true });
    const seen = async (one: TestApp) => (await one.call('GET', '/geo', from(GERMAN))).body;
    expect(await seen(app)).toMatchObject({ isBlocked: true, reason: 'COUNTRY_BLOCKED' });
    await vi.waitFor(async () => expect((await seen(other)).isBlocked).toBe(true), {
      timeout: 1000,
      interval: 10,
    });
    expect((await app.call('GET', '/geo', from(AMERICAN))).body.isBlocked).toBe(false);
    const stats = await staff.call('GET', '/admin/country/stats');
    expect(stats.body).toEqual({ total: 252, blocked: 1, allowed: 251 });
    const row = await app.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('method', '=', 'PATCH')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      user_id: staff.id,
      path: '/admin/country/DE',
      permission: 'country.write',
      status_code: 200,
      before: { isBlocked: false },
      after: { isBlocked: true },
    });
    await block('DE', false);
    await vi.waitFor(async () => expect((await seen(other)).isBlocked).toBe(false), { timeout: 20_000 });
  });

  test('stores a country block even if this process cannot reload it immediately, and applies it soon afterwards', async () => {
    await block('US', false);
    const logged = app.lines.length;
    const { db } = app.services;
    const selectFrom = db.selectFrom.bind(db) as (table: never) => never;
    let failures = 0;
    const broken = vi.spyOn(db, 'selectFrom').mockImplementation(((table: string) => {
      if (table !== 'countries') return selectFrom(table as never);
      failures++;
      throw new Error('the connection broke');
    }) as never);
    const isBlocked = async () => (await app.call('GET', '/geo', from(AMERICAN))).body.isBlocked;
    try {
      expect((await block('US', true)).status).toBe(200);
      expect(failures).toBeGreaterThan(0);
      expect(await isBlocked()).toBe(false);
      await expect.poll(() => app.lines.slice(logged).join()).toContain('blocked countries');
    } finally {
      broken.mockRestore();
    }
    await expect.poll(isBlocked).toBe(true);
    expect((await block('US', false)).status).toBe(200);
    expect(await isBlocked()).toBe(false);
  });

  test('filters, sorts and searches countries', async () => {
    await block('FR', true);
    const list = async (query: string) =>
      (await staff.call('GET', `/admin/country?sortOrder=asc&${query}`)).body;
    expect((await list('status=BLOCKED')).data.map((c: { code: string }) => c.code)).toEqual(['FR']);
    expect((await list('status=ALLOWED')).total).toBe(251);
    expect((await list('search=GERM')).data.map((c: { code: string }) => c.code)).toEqual(['DE']);
    expect((await list('search=%25')).total).toBe(0);
    const byCode = await staff.call('GET', '/admin/country?sortBy=code&sortOrder=desc&take=1');
    expect(byCode.body.data[0].code).toBe('ZW');
    for (const query of ['sortBy=updatedAt', 'take=21', 'status=blocked', `search=${'x'.repeat(51)}`])
      expect((await staff.call('GET', `/admin/country?sortOrder=asc&${query}`)).status, query).toBe(400);
    expect((await staff.call('GET', '/admin/country')).status).toBe(400);
  });

  test('rejects unknown countries and malformed bodies without any change', async () => {
    for (const code of ['XX', 'de', 'DEU', '%00'])
      expect((await block(code, true)).body.code, code).toBe('COUNTRY_NOT_FOUND');
    for (const body of [{}, { isBlocked: null }, { isBlocked: 'false' }, { isBlocked: false, name: 'x' }])
      expect((await staff.call('PATCH', '/admin/country/FR', { body })).status).toBe(400);
    const { body } = await staff.call('GET', '/admin/country?sortOrder=asc&search=france');
    expect(body.data[0].isBlocked).toBe(true);
  });

  test('returns 403 for players and for staff with only the read permission', async () => {
    const reader = await app.as({ permissions: ['country.read'] });
    const player = await app.newPlayer();
    for (const who of [reader, player]) {
      const response = await who.call('PATCH', '/admin/country/FR', { body: { isBlocked: false } });
      expect([response.status, response.body.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect((await reader.call('GET', '/admin/country?sortOrder=asc')).status).toBe(200);
  });
});
