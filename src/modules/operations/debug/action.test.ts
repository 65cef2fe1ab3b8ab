import { describe, expect, test } from 'vitest';
import { type Answer, betOnDice, cashOf, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const act = (userId: number, action: string, params?: object) =>
  app.call('POST', '/debug/user/action', { body: { userId, action, ...(params ? { params } : {}) } });
const rowOf = (id: number) =>
  app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('POST /debug/user/action', () => {
  test.each([
    ['VERIFY_EMAIL', undefined, { email_verified: true }],
    ['SET_VIP_LEVEL', { level: 7 }, { vip_level: 7 }],
    ['SET_KYC_LEVEL', { level: 3 }, { kyc_level: 3 }],
    ['SET_COUNTRY', { country: 'BR' }, { country_code: 'BR' }],
    ['CLEAR_EXCLUSION', undefined, { self_excluded_until: null }],
    ['COMPLETE_WAGERING', undefined, {}],
    ['CLEAR_LIMITS', undefined, {}],
  ])('changes only the field of the action %s %j', async (action, params, changed) => {
    const { id } = await app.newPlayer();
    const self_excluded_until = new Date(Date.now() + 1e9);
    await app.db.updateTable('users').set({ self_excluded_until }).where('id', '=', id).execute();
    const before = await rowOf(id);
    const { status, body } = await act(id, action, params);
    expect([status, body.success, body.user.id]).toEqual([201, true, id]);
    expect(await rowOf(id)).toEqual({ ...before, ...changed });
  });

  test('CLEAR_EXCLUSION lets a player play immediately, without the waiting period', async () => {
    const player = await app.newPlayer({ usdt: 1 });
    const bet = async () => codeOf(await betOnDice(player, { betAmount: '0.01' }));
    await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 200 } });
    expect(await bet()).toBe('403 SELF_EXCLUDED');
    expect(codeOf(await act(player.id, 'CLEAR_EXCLUSION'))).toBe('201');
    expect(await bet()).toBe('201');
    const seen = await player.call('GET', '/user-limits/self-exclusion');
    expect(seen.body.isActive).toBe(false);
    expect((await player.call('GET', '/user/me')).body.selfExclusion).toBeNull();
  });

  test('CLEAR_LIMITS removes all limits and pending changes immediately', async () => {
    const player = await app.newPlayer({ usdt: 1 });
    const path = '/user-limits/gambling-limits';
    const set = (type: string, amount: string) =>
      player.call('POST', path, { body: { type, period: 'DAY', amount } });
    await set('WAGER', '0');
    await set('DEPOSIT', '5');
    const { pending } = (await set('DEPOSIT', '6')).body;
    expect(codeOf(await betOnDice(player, { betAmount: '0.01' }))).toBe('403 LIMIT_REACHED');
    expect(codeOf(await act(player.id, 'CLEAR_LIMITS'))).toBe('201');
    expect(codeOf(await betOnDice(player, { betAmount: '0.01' }))).toBe('201');
    expect((await player.call('GET', path)).body).toMatchObject({
      betLimit: null,
      pending: null,
      limits: [],
    });
    const confirmed = await player.call('POST', `${path}/confirm`, { body: { id: pending.id } });
    expect(codeOf(confirmed)).toBe('404 LIMIT_CHANGE_NOT_FOUND');
  });

  test('SET_BALANCE raises and lowers the cash balance through the ledger', async () => {
    const player = await app.newPlayer({ usdt: 5 });
    for (const amount of ['12.5', '0.5', '0']) {
      expect(codeOf(await act(player.id, 'SET_BALANCE', { currencyId: 'USDT', amount }))).toBe('201');
      expect(await cashOf(player)).toBe(amount);
    }
    const set = (currencyId: string, amount: string) => act(player.id, 'SET_BALANCE', { currencyId, amount });
    expect(codeOf(await set('NONE', '1'))).toBe('404 CURRENCY_NOT_FOUND');
    expect(codeOf(await set('USDT', '0.0000001'))).toBe('400 AMOUNT_OUT_OF_RANGE');
  });

  test('CLOSE_SESSIONS ends all sessions of a user', async () => {
    const player = await app.newPlayer();
    expect(codeOf(await act(player.id, 'CLOSE_SESSIONS'))).toBe('201');
    await expect.poll(async () => codeOf(await player.call('GET', '/user/me'))).toBe('401 UNAUTHORIZED');
  });

  test.each([
    ['SET_BALANCE', undefined],
    ['SET_BALANCE', { currencyId: 'USDT' }],
    ['SET_BALANCE', { currencyId: 'USDT', amount: '-1' }],
    ['SET_BALANCE', { currencyId: 'USDT', amount: '1', level: 1 }],
    ['SET_VIP_LEVEL', {}],
    ['SET_VIP_LEVEL', { level: '1' }],
    ['SET_VIP_LEVEL', { level: 1001 }],
    ['SET_KYC_LEVEL', { level: 11 }],
    ['SET_COUNTRY', { country: 'br' }],
    ['VERIFY_EMAIL', { level: 1 }],
    ['MAKE_ADMIN', undefined],
    ['toString', undefined],
  ])('rejects %s with params %j', async (action, params) => {
    const { id } = await app.newPlayer();
    const before = await rowOf(id);
    expect(codeOf(await act(id, action, params))).toBe('400 VALIDATION_FAILED');
    expect(await rowOf(id)).toEqual(before);
  });

  test('returns 404 for an unknown user, whatever the action', async () => {
    for (const action of ['VERIFY_EMAIL', 'CLOSE_SESSIONS', 'CLEAR_LIMITS'])
      expect(codeOf(await act(2_000_000_000, action))).toBe('404 USER_NOT_FOUND');
    const params = { currencyId: 'USDT', amount: '1' };
    expect(codeOf(await act(2_000_000_000, 'SET_BALANCE', params))).toBe('404 USER_NOT_FOUND');
  });
});

describe('debug token', () => {
  test('makes a new SuperAdmin a test account and writes an audit log entry', async () => {
    const player = await app.newPlayer();
    await app.db.updateTable('users').set({ is_test: false }).where('id', '=', player.id).execute();
    const { status } = await player.call('GET', '/debug/me/give-admin?debug_token=test-debug-token');
    expect(status).toBe(200);
    expect((await rowOf(player.id)).is_test).toBe(true);
    const audit = await app.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('user_id', '=', player.id)
      .execute();
    expect(audit).toMatchObject([
      {
        method: 'GET',
        path: '/debug/me/give-admin',
        permission: 'debug',
        status_code: 200,
        before: { roles: [], permissions: [] },
        after: { roles: ['SUPERADMIN'], permissions: [], isTest: true },
      },
    ]);
    expect(JSON.stringify(audit, (_, v) => (typeof v === 'bigint' ? String(v) : v))).not.toContain(
      'test-debug-token',
    );
  });

  test('requires the debug token to sign in as staff', async () => {
    const member = await app.as({ permissions: ['user.read'] });
    const login = (token?: string) =>
      app.call(
        'POST',
        `/debug/auth/login/${member.username}`,
        token === undefined ? {} : { headers: { 'x-debug-token': token } },
      );
    for (const token of [undefined, '', 'wrong', 'test-debug-toke'])
      expect(codeOf(await login(token)), token).toBe('403 DEBUG_TOKEN_WRONG');
    expect(codeOf(await login('test-debug-token'))).toBe('201');
    const { username } = await app.newPlayer();
    expect(codeOf(await app.call('POST', `/debug/auth/login/${username}`))).toBe('201');
  });
});
