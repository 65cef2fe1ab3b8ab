import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { CRM_KEY, crmCall } from '../../../../test/kit/backoffice/crm.ts';
import { newPromo, PROMO_STAFF, setStatus } from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { partnerKey } from '../../../../test/kit/games/partner.ts';
import { sampleRequest } from '../../../../test/kit/http/samples.ts';
import { mainRoutes } from '../../../app/apps.ts';
import { erase } from '../user-admin/erase.ts';
import { keyed } from './key.ts';

const app = fixture(() => startApp());
const boss = fixture(() => app.as('superadmin'));
const call: ReturnType<typeof crmCall> = (...args) => crmCall(app)(...args);
const marketing = (what: string, who: string | number) => call('GET', `/marketing/${what}/${who}`);

const routes = () =>
  mainRoutes(app.services).filter(({ path }) => /^\/(marketing|external-auth)\//.test(path));

describe('the key', () => {
  test("requires the CRM key for eight operations, and rejects a missing key, a wrong key and a partner's key", async () => {
    expect(routes()).toHaveLength(8);
    const partner = await partnerKey(app, boss);
    for (const r of routes()) {
      const { path, body } = sampleRequest(r);
      for (const headers of [{}, { 'x-api-key': 'no key of the CRM' }, { 'x-api-key': '' }, partner]) {
        const answer = await app.call(r.method, path, { body, headers });
        expect(codeOf(answer), `${r.method} ${path}`).toBe('401 API_KEY_INVALID');
      }
      const passed = codeOf(await call(r.method, path, { body }));
      expect(passed, `${r.method} ${path}`).not.toBe('401 API_KEY_INVALID');
    }
  });

  test("does not accept the CRM key as a partner's key, nor a session instead of the CRM key", async () => {
    const headers = { 'x-api-key': CRM_KEY };
    const report = await app.call('GET', '/external/affiliates', { headers });
    expect(codeOf(report)).toBe('401 API_KEY_INVALID');
    const { token } = boss;
    const details = await app.call('GET', `/marketing/userdetails/${boss.id}`, { token });
    expect(codeOf(details)).toBe('401 API_KEY_INVALID');
  });

  test('accepts the previous CRM key during a key rotation', async () => {
    const env = { CRM_API_KEY: 'a new key of the CRM', CRM_API_KEY_PREVIOUS: 'the key before' };
    const other = await startApp({ env, database: app.database });
    const ask = (key: string) =>
      other.call('GET', '/marketing/bonus/list', { headers: { 'x-api-key': key } }).then(codeOf);
    expect(await Promise.all([ask('a new key of the CRM'), ask('the key before'), ask(CRM_KEY)])).toEqual([
      '200',
      '200',
      '401 API_KEY_INVALID',
    ]);
    await other.stop();
  });

  test('rejects every CRM key when none is configured', async () => {
    const config = { ...app.config, CRM_API_KEY: undefined, CRM_API_KEY_PREVIOUS: 'the key before' };
    for (const key of [undefined, '', 'undefined', 'the key before', CRM_KEY])
      await expect(keyed.keyCheck({ config }, key)).rejects.toMatchObject({ code: 'API_KEY_INVALID' });
  });
});

describe('POST /external-auth/authenticate', () => {
  const sidOf = ({ token }: Player) => String(decodeJwt(token).sid);
  const authenticate = (sid: string) => call('POST', '/external-auth/authenticate', { body: { sid } });

  test('returns the owner of an active session', async () => {
    const player = await app.newPlayer();
    const { body } = await player.call('GET', '/session');
    const sid = body.find(({ current }: any) => current).id;
    expect(sid).toBe(sidOf(player));
    expect(await authenticate(sid)).toMatchObject({ status: 200, body: { user_id: String(player.id) } });
  });

  test('rejects ended and unknown sessions, and those of banned users', async () => {
    const gone = await app.newPlayer();
    await gone.call('DELETE', '/session/log-out/current');
    const banned = await app.newPlayer();
    await boss.call('PATCH', `/admin/user/${banned.id}/ban`, { body: { banReason: 'a test' } });
    for (const sid of [sidOf(gone), sidOf(banned), randomUUID(), 'x'])
      expect(codeOf(await authenticate(sid)), sid).toBe('401 SESSION_INVALID');
    expect(codeOf(await authenticate(''))).toBe('400 VALIDATION_FAILED');
  });

  test('accepts sessions of excluded users', async () => {
    const player = await app.newPlayer();
    await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
    expect((await authenticate(sidOf(player))).status).toBe(200);
  });
});

const PERSON = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  birthDate: '1990-12-10',
  country: 'DE',
  city: 'Berlin',
  address: 'Unter den Linden 1',
  postalCode: '10117',
  gender: 'FEMALE',
  phonePrefix: '+49',
  phone: '30 123456',
};

describe('GET /marketing/userdetails/{userId}', () => {
  test('returns every field, with an empty value for unknown ones', async () => {
    const player = await app.newPlayer();
    const nothing = { email: null, is_test: false };
    await app.db.updateTable('users').set(nothing).where('id', '=', player.id).execute();
    const { status, body, headers } = await marketing('userdetails', player.id);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const { registration_date, ...known } = body;
    expect(Date.now() - Date.parse(registration_date)).toBeLessThan(60_000);
    expect(known).toEqual({
      user_id: String(player.id),
      username: player.username,
      email: '',
      first_name: '',
      last_name: '',
      birth_date: '',
      sex: '',
      title: '',
      address: '',
      city: '',
      postal_code: '',
      country: '',
      language: '',
      currency: '',
      mobile: '',
      mobile_prefix: '',
      origin: new URL(app.config.SITE_URL).host,
      market: '',
      roles: [],
      registration_code: '',
      affiliate_reference: '',
      verified_at: '',
      deleted_at: '',
      is_blocked: false,
      is_excluded: false,
      segmentation: { vip_level: 0, kyc_level: 0 },
    });
  });

  test('returns the account, identity, levels and roles', async () => {
    const player = await app.newPlayer();
    const email = `${player.username}@player.example`;
    const set = { email, language: 'de', country_code: 'DE', affiliate_code: 'a-friend', vip_level: 3 };
    await app.db
      .updateTable('users')
      .set({ ...set, is_test: true })
      .where('id', '=', player.id)
      .execute();
    expect((await player.call('POST', '/kyc/basic', { body: PERSON })).status).toBe(201);
    const approval = { tier: 'IDENTITY', action: 'APPROVE', reason: 'a test' };
    expect((await boss.call('PATCH', `/admin/kyc/${player.id}`, { body: approval })).status).toBe(200);
    const { body } = await marketing('userdetails', player.id);
    expect(body).toMatchObject({
      email,
      first_name: 'Ada',
      last_name: 'Lovelace',
      birth_date: '1990-12-10',
      sex: 'Female',
      address: 'Unter den Linden 1',
      city: 'Berlin',
      postal_code: '10117',
      country: 'DE',
      language: 'de',
      mobile: '30 123456',
      mobile_prefix: '+49',
      roles: ['TEST'],
      affiliate_reference: 'a-friend',
      segmentation: { vip_level: 3, kyc_level: 2 },
    });
    expect(Date.now() - Date.parse(body.verified_at)).toBeLessThan(60_000);
    const { body: staff } = await marketing('userdetails', boss.id);
    expect(staff).toMatchObject({ roles: ['STAFF', 'TEST'] });
  });

  test('reports an erased account as deleted, without personal data', async () => {
    const player = await app.newPlayer();
    await erase(
      { db: app.db, files: { forget: async () => undefined } },
      { userId: player.id, by: player.id, reason: 'a test' },
    );
    const { body } = await marketing('userdetails', player.id);
    expect(body).toMatchObject({ username: `erased-${player.id}`, email: '', country: '', is_blocked: true });
    expect(Date.now() - Date.parse(body.deleted_at)).toBeLessThan(60_000);
  });

  test.each(['userdetails', 'userblocks', 'userconsents'])(
    'returns 404 for an unknown user on GET %s',
    async (what) => {
      for (const who of [2_147_483_647, 0, -1, '01', '1e3', 'x', '99999999999', '1.0', ' 1', '%00'])
        expect(codeOf(await marketing(what, who)), String(who)).toBe('404 USER_NOT_FOUND');
    },
  );
});

describe('GET /marketing/userblocks/{userId}', () => {
  const blocksOf = async ({ id }: Player) => (await marketing('userblocks', id)).body.blocks;

  test('returns the ban and the exclusion, separately and together, without internal reasons', async () => {
    const player = await app.newPlayer();
    const off = (type: string) => ({ type, active: false, note: '' });
    expect(await blocksOf(player)).toEqual([off('Blocked'), off('Excluded')]);
    const exclusion = await player.call('POST', '/user-limits/self-exclusion', {
      body: { durationDays: 30 },
    });
    const until = exclusion.body.expiresAt;
    const [, excluded] = await blocksOf(player);
    expect(excluded).toMatchObject({ type: 'Excluded', active: true });
    // The player may play again only some time after the end of the exclusion.
    expect(Date.parse(excluded.note)).toBeGreaterThanOrEqual(Date.parse(until));
    expect((await marketing('userdetails', player.id)).body.is_excluded).toBe(true);
    await boss.call('PATCH', `/admin/user/${player.id}/ban`, { body: { banReason: 'cheats' } });
    expect(await blocksOf(player)).toEqual([{ type: 'Blocked', active: true, note: '' }, excluded]);
    expect((await marketing('userdetails', player.id)).body.is_blocked).toBe(true);
    await boss.call('PATCH', `/admin/user/${player.id}/unban`, { body: { banReason: 'a test' } });
    expect(await blocksOf(player)).toEqual([off('Blocked'), excluded]);
  });

  test('reports an exclusion until play is possible again', async () => {
    const player = await app.newPlayer();
    await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 30 } });
    const end = (excluded: string, play: string) =>
      app.sql`update restrictions set excluded_until = now() + ${excluded}::interval, play_from = now() + ${play}::interval
        where user_id = ${player.id}`.execute(app.db);
    await end('-1 hour', '1 hour');
    expect((await blocksOf(player))[1].active).toBe(true);
    await end('-2 hours', '-1 hour');
    expect((await blocksOf(player))[1]).toEqual({ type: 'Excluded', active: false, note: '' });
  });
});

const TYPES = ['email', 'sms', 'telephone', 'postMail', 'siteNotification', 'pushNotification'];

describe('/marketing/userconsents/{userId}', () => {
  const consentsOf = async ({ id }: Player): Promise<Record<string, boolean>> => {
    const { status, body } = await marketing('userconsents', id);
    expect(status).toBe(200);
    expect(body.consents.map(({ type }: any) => type)).toEqual(TYPES);
    return Object.fromEntries(body.consents.map(({ type, opted_in }: any) => [type, opted_in]));
  };
  const agreed = async (player: Player) =>
    Object.entries(await consentsOf(player)).flatMap(([type, isIn]) => (isIn ? [type] : []));
  const store = ({ id }: Pick<Player, 'id'>, ...consents: unknown[]) =>
    call('POST', `/marketing/userconsents/${id}`, { body: { consents } });
  const consent = (type: string, opted_in: unknown) => ({ type, opted_in });
  const noted = async ({ id }: Player) => {
    const { rows } = await app.sql<{ n: number }>`
      select count(*)::int as n from events where user_id = ${id} and name = 'user.consents' and room = 'internal'`.execute(
      app.db,
    );
    return rows[0]!.n;
  };

  test("returns the player's email consent, and returns all other consent types as off", async () => {
    const player = await app.newPlayer();
    expect(await agreed(player)).toEqual(['email']);
    await player.call('PATCH', '/user/me', { body: { isEmailNotificationsEnabled: false } });
    expect(await agreed(player)).toEqual([]);
    expect(await noted(player)).toBe(1);
  });

  test('stores the given consent types, keeps the others and emits an event for each call', async () => {
    const player = await app.newPlayer();
    expect(await store(player, consent('sms', true), consent('pushNotification', true))).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect(await agreed(player)).toEqual(['email', 'sms', 'pushNotification']);
    await store(player, consent('sms', false), consent('email', false));
    expect(await agreed(player)).toEqual(['pushNotification']);
    expect((await player.call('GET', '/user/me')).body.isEmailNotificationsEnabled).toBe(false);
    await store(player, consent('email', true));
    expect((await player.call('GET', '/user/me')).body.isEmailNotificationsEnabled).toBe(true);
    expect(await agreed(player)).toEqual(['email', 'pushNotification']);
    await store(player, ...TYPES.map((type) => consent(type, true)));
    expect(await agreed(player)).toEqual(TYPES);
    expect(await noted(player)).toBe(4);
  });

  test('returns no consents for excluded users, regardless of the stored values', async () => {
    const player = await app.newPlayer();
    await store(player, ...TYPES.map((type) => consent(type, true)));
    await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 30 } });
    expect(await agreed(player)).toEqual([]);
    expect((await store(player, consent('sms', true))).status).toBe(200);
    expect(await agreed(player)).toEqual([]);
    const lifted = { userId: player.id, reason: 'a test' };
    expect((await boss.call('DELETE', '/admin/user-limits/user-exclusion', { body: lifted })).status).toBe(
      200,
    );
    expect(await agreed(player)).toEqual(TYPES);
  });

  test.each([
    ['no list', {}],
    ['an empty list', { consents: [] }],
    ['no decision', { consents: [{ type: 'sms' }] }],
    ['an unreadable decision', { consents: [consent('sms', 'maybe')] }],
  ])('rejects consents with %s and stores nothing', async (_, body) => {
    const player = await app.newPlayer();
    const answer = await call('POST', `/marketing/userconsents/${player.id}`, { body });
    expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
    expect([await agreed(player), await noted(player)]).toEqual([['email'], 0]);
  });

  test('returns 404 for an unknown user', async () => {
    expect(codeOf(await store({ id: 2_147_483_647 }, consent('sms', true)))).toBe('404 USER_NOT_FOUND');
  });
});

test('lists active promotions by name and id on GET /marketing/bonus/list', async () => {
  const staff = await app.as(PROMO_STAFF);
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const [code, manual, later, paused, over] = await Promise.all([
    newPromo(staff, { name: 'By a code' }),
    newPromo(staff, { name: 'By hand', type: 'MANUAL' }),
    newPromo(staff, { name: 'Later', startAt: inDays(1) }),
    newPromo(staff, { name: 'Paused' }),
    newPromo(staff, { name: 'Over' }),
  ]);
  await setStatus(staff, paused, 'PAUSED');
  await app.sql`update promos set end_at = now() where id = ${over}::int8`.execute(app.db);
  const { status, body } = await call('GET', '/marketing/bonus/list');
  expect(status).toBe(200);
  expect(body).toContainEqual({ text: 'By a code', value: code });
  expect(body).toContainEqual({ text: 'By hand', value: manual });
  const values = body.map(({ value }: any) => value);
  // The platform's own promotions are not listed.
  for (const id of [later, paused, over, '1']) expect(values).not.toContain(id);
});
