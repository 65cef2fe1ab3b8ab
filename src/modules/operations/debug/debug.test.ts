import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startCaptcha } from '../../../../test/kit/accounts/captcha.ts';
import { type Answer, cashOf, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const captcha = fixture(startCaptcha);
const app = fixture(() => startApp({ env: captcha.env }));

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code}`;
const aName = () => `d_${randomBytes(7).toString('hex')}`;
const create = (body: object, token = 'test-debug-token') =>
  app.call('POST', '/debug/user/create', { body, headers: { 'x-debug-token': token } });
const login = (username: string) => app.call('POST', `/debug/auth/login/${username}`);

describe('POST /debug/user/create', () => {
  test('creates a user with the requested fields, who can sign in', async () => {
    const username = aName();
    const rights = { roles: ['SUPPORT'], permissions: ['faq.write'] };
    const balances = [
      { currencyId: 'BTC', amount: '0.00000001' },
      { currencyId: 'USDT', amount: '12.5' },
      { currencyId: 'EUR', amount: '0' },
    ];
    const profile = { country: 'DE', vipLevel: 3, kycLevel: 2, emailVerified: true };
    const sign = { email: `${username}@mail.example`, password: 'a good password' };
    const made = await create({ username, ...sign, ...profile, ...rights, balances });
    expect(made.status).toBe(201);
    const { permissions, vipLevel } = { ...rights, ...profile };
    expect(made.body).toMatchObject({
      username,
      email: sign.email,
      permissions,
      vipLevel,
      isStaff: true,
      mfaSecret: '',
    });
    const session = await app.call('POST', '/auth/sign-in', { body: sign, headers: await captcha.solved() });
    expect(session.status).toBe(201);
    const { token } = session.body.accessToken;
    const me = await app.call('GET', '/user/me', { token });
    const { roles } = rights;
    expect(me.body).toMatchObject({ id: made.body.id, username, ...profile, roles, isStaff: true });
    // The user has the permissions of the role and the permissions that were granted directly.
    expect(me.body.permissions).toEqual(expect.arrayContaining(['faq.write', 'user.read']));
    expect(me.body.permissions).not.toContain('withdraw.approve');
    const { body: shown } = await app.call('GET', '/accounting/balances', { token });
    expect(shown.map((b: any) => [b.currencyId, b.amount])).toEqual([
      ['BTC', '0.00000001'],
      ['USDT', '12.5'],
    ]);
    const row = await app.db.selectFrom('users').select('is_test').where('id', '=', made.body.id).execute();
    expect(row).toEqual([{ is_test: true }]);
  });

  test('generates all fields that are omitted', async () => {
    const [a, b] = [await create({}), await create({})];
    expect([a.status, b.status]).toEqual([201, 201]);
    expect(a.body.username).toMatch(/^test_[0-9a-f]{12}$/);
    expect(a.body.email).toBe(`${a.body.username}@test.example`);
    expect(a.body).toMatchObject({ isStaff: false, permissions: [] });
    expect(b.body.username).not.toBe(a.body.username);
  });

  test('rejects taken names, unknown currencies and malformed fields without creating a user', async () => {
    const { username, email } = (await create({})).body;
    const users = () =>
      app.db
        .selectFrom('users')
        .select((eb) => eb.fn.countAll().as('n'))
        .execute();
    const before = await users();
    const credit = (currencyId: string, amount: string) => ({ balances: [{ currencyId, amount }] });
    for (const [body, code] of [
      [{ username: username.toUpperCase() }, '409 AUTH_USER_EXISTS'],
      [{ username: aName(), email: email.toUpperCase() }, '409 AUTH_USER_EXISTS'],
      [credit('NOPE', '1'), '404 CURRENCY_NOT_FOUND'],
      [credit('USDT', '0.0000001'), '400 AMOUNT_OUT_OF_RANGE'],
      [credit('USDT', '-1'), '400 VALIDATION_FAILED'],
      [credit('USDT', '1e3'), '400 VALIDATION_FAILED'],
      [{ isStaff: true }, '400 VALIDATION_FAILED'],
      [{ balances: [{ currencyId: 'USDT', amount: '1', account: 'vault' }] }, '400 VALIDATION_FAILED'],
      [{ country: 'de' }, '400 VALIDATION_FAILED'],
      [{ roles: 'SUPERADMIN' }, '400 VALIDATION_FAILED'],
    ] as const)
      expect(codeOf(await create(body)), JSON.stringify(body)).toBe(code);
    expect(await users()).toEqual(before);
  });
});

describe('POST /debug/user/create with permissions', () => {
  const createWithoutToken = (body: object) => app.call('POST', '/debug/user/create', { body });

  test('requires DEBUG_TOKEN for roles and permissions', async () => {
    for (const rights of [{ roles: ['SUPERADMIN'] }, { permissions: ['user.read'] }]) {
      const username = aName();
      expect(codeOf(await createWithoutToken({ username, ...rights }))).toBe('403 DEBUG_TOKEN_WRONG');
      for (const token of ['', 'wrong', 'test-debug-tokenx'])
        expect(codeOf(await create({ username, ...rights }, token)), token).toBe('403 DEBUG_TOKEN_WRONG');
      const made = await create({ username, ...rights });
      expect([made.status, made.body.isStaff]).toEqual([201, true]);
    }
  });

  test('requires no token if roles and permissions are empty', async () => {
    const made = await createWithoutToken({ roles: [], permissions: [] });
    expect([made.status, made.body.isStaff]).toEqual([201, false]);
  });
});

test('rejects links from other sites that give money or permissions', async () => {
  const player = await app.newPlayer();
  const headers = { 'sec-fetch-site': 'cross-site', cookie: `__Host-access_token=${player.token}` };
  for (const path of ['give-money?amount=5', 'give-admin?debug_token=test-debug-token'])
    expect(codeOf(await app.call('GET', `/debug/me/${path}`, { headers })), path).toBe(
      '403 ORIGIN_FORBIDDEN',
    );
  expect(await cashOf(player)).toBe('0');
  expect((await player.call('GET', '/user/me')).body).toMatchObject({ isStaff: false });
});

describe('POST /debug/auth/login/{username}', () => {
  test('registers a new username, and signs in an existing one in any letter case', async () => {
    const username = aName();
    const [first, second] = [await login(username), await login(username.toUpperCase())];
    expect([first.status, second.status]).toEqual([201, 201]);
    const ids = await Promise.all(
      [first, second].map(
        async ({ body }) => (await app.call('GET', '/user/me', { token: body.accessToken.token })).body.id,
      ),
    );
    expect(ids[0]).toBe(ids[1]);
    expect(first.headers.getSetCookie()).toHaveLength(2);
  });

  test('creates one account and signs in every caller when 20 concurrent calls use a new name', async () => {
    const username = aName();
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(username)));
    expect(answers.map(codeOf)).toEqual(Array(20).fill('201 undefined'));
    const users = await app.db.selectFrom('users').select('id').where('username', '=', username).execute();
    expect(users).toHaveLength(1);
  });

  test('rejects banned users, invalid usernames and a body', async () => {
    const { username, id } = await app.newPlayer();
    await app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', id).execute();
    expect(codeOf(await login(username))).toBe('401 UNAUTHORIZED');
    for (const name of ['ab', 'me', 'a%20b', 'x'.repeat(21), '%2e%2e'])
      expect(codeOf(await login(name)), name).toBe('404 NOT_FOUND');
    const { body } = await app.call('POST', `/debug/auth/login/${aName()}`, {
      body: { roles: ['SUPERADMIN'] },
    });
    expect(body.code).toBe('VALIDATION_FAILED');
  });
});

describe('GET /debug/me/give-admin', () => {
  test('makes a caller with DEBUG_TOKEN a SuperAdmin', async () => {
    const player = await app.newPlayer();
    const { status, body } = await player.call('GET', '/debug/me/give-admin?debug_token=test-debug-token');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: player.id, isStaff: true, mfaSecret: '' });
    expect((await player.call('GET', '/user/me')).body).toMatchObject({
      isStaff: true,
      roles: ['SUPERADMIN'],
    });
  });

  test('rejects wrong tokens, and rejects every token when none is configured', async () => {
    const player = await app.newPlayer();
    for (const token of ['', 'wrong', 'test-debug-toke', 'test-debug-tokenx', 'TEST-DEBUG-TOKEN'])
      expect(codeOf(await player.call('GET', `/debug/me/give-admin?debug_token=${token}`)), token).toBe(
        '403 DEBUG_TOKEN_WRONG',
      );
    expect(codeOf(await player.call('GET', '/debug/me/give-admin'))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await app.call('GET', '/debug/me/give-admin?debug_token=test-debug-token'))).toBe(
      '401 UNAUTHORIZED',
    );
    expect((await player.call('GET', '/user/me')).body).toMatchObject({ isStaff: false, roles: [] });
    const unset = await startApp({ database: app.database, env: { DEBUG_TOKEN: '' } });
    for (const token of ['', 'undefined', 'test-debug-token'])
      expect(
        codeOf(await unset.call('GET', `/debug/me/give-admin?debug_token=${token}`, { token: player.token })),
      ).toBe('403 DEBUG_TOKEN_WRONG');
    await unset.stop();
  });
});

test('GET /debug/me/give-money credits the exact dollar amount in USDT on every call', async () => {
  const player = await app.newPlayer();
  const give = (amount: string) => player.call('GET', `/debug/me/give-money?amount=${amount}`);
  for (const amount of ['1000', '0.01', '0.01']) {
    const { status, text } = await give(amount);
    expect([status, text]).toEqual([200, '']);
  }
  expect(await cashOf(player)).toBe('1000.02');
  for (const amount of ['', '0', '-5', '1000000.01', 'NaN', 'Infinity', '1e3', '0x10', '5&amount=5', '%205'])
    expect(codeOf(await give(amount)), amount).toBe('400 VALIDATION_FAILED');
  expect(codeOf(await app.call('GET', '/debug/me/give-money?amount=5'))).toBe('401 UNAUTHORIZED');
  expect(await cashOf(player)).toBe('1000.02');
});
