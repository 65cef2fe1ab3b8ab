import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/database/db.ts';
import {
  createUser,
  findUserByEmail,
  findUserByUsername,
  getUser,
  maskEmail,
  setRights,
  toUserDto,
} from './service.ts';

const app = fixture(startApp);

test('returns the profile with balances in dollars and no secrets on GET /user/me', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const moved = await player.call('POST', '/accounting/to-vault', {
    body: { currencyId: 'USDT', amount: '25.5' },
  });
  expect(moved.status).toBe(201);
  const { status, body } = await player.call('GET', '/user/me');
  expect(status).toBe(200);
  expect(body).toEqual({
    id: player.id,
    username: player.username,
    country: null,
    email: `p_***@test.example`,
    emailVerified: false,
    avatar: null,
    language: null,
    vipLevel: 0,
    balances: { usd: '74.5', vaultUsd: '25.5' },
    kycLevel: 0,
    mfaEnabled: false,
    isPrivate: false,
    isStreamer: false,
    isStreamerMode: false,
    isEmailNotificationsEnabled: true,
    isStaff: false,
    roles: [],
    permissions: [],
    platformTradeLink: null,
    selfExclusion: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

test('returns roles and permissions of staff on GET /user/me, and 401 without a session', async () => {
  const staff = await app.as({ permissions: ['user.read', 'user.ban'] });
  const { body } = await staff.call('GET', '/user/me');
  expect(body).toMatchObject({ isStaff: true, roles: [], permissions: ['user.ban', 'user.read'] });
  const boss = await app.as('superadmin');
  expect((await boss.call('GET', '/user/me')).body).toMatchObject({ isStaff: true, roles: ['SUPERADMIN'] });
  const nobody = await app.call('GET', '/user/me');
  expect([nobody.status, nobody.body.code]).toEqual([401, 'UNAUTHORIZED']);
  expect((await boss.call('GET', '/user/me?id=1')).status).toBe(400);
});

test('finds users by email and username in any letter case, and rejects duplicates of either', async () => {
  const username = `Mixed_${Date.now().toString(36)}`;
  const email = `${username}@Mail.example`;
  const { id } = await transaction(app.db, (tx) => createUser(tx, { username, email, passwordHash: null }));
  for (const spelling of [username, username.toUpperCase(), username.toLowerCase()]) {
    expect((await findUserByUsername(app.db, spelling))?.id).toBe(id);
    expect((await findUserByEmail(app.db, `${spelling}@mail.EXAMPLE`))?.id).toBe(id);
  }
  expect(await findUserByEmail(app.db, username)).toBeUndefined();
  expect(await findUserByUsername(app.db, `${username}%`)).toBeUndefined();
  for (const twin of [
    { username: username.toUpperCase(), email: 'free@mail.example' },
    { username: 'free_name', email: email.toUpperCase() },
  ]) {
    const attempt = transaction(app.db, (tx) => createUser(tx, { ...twin, passwordHash: null }));
    await expect(attempt).rejects.toMatchObject({ status: 409, code: 'AUTH_USER_EXISTS' });
  }
  await expect(getUser(app.db, 2_147_483_647)).rejects.toMatchObject({ status: 404, code: 'USER_NOT_FOUND' });
});

test('sets the staff flag of users while they have a role or permission, and clears it afterwards', async () => {
  const { id } = await app.newPlayer();
  for (const [rights, isStaff] of [
    [{ roles: [], permissions: ['faq.write'] }, true],
    [{ roles: ['SUPERADMIN'], permissions: [] }, true],
    [{ roles: [], permissions: [] }, false],
  ] as const) {
    const given = { roles: [...rights.roles], permissions: [...rights.permissions] };
    const user = await transaction(app.db, (tx) => setRights(tx, id, given));
    expect(user).toMatchObject({ ...given, is_staff: isStaff });
  }
});

test('excludes passwords and second factor secrets from the view for staff', async () => {
  const { id } = await app.newPlayer();
  await app.db.updateTable('users').set({ password_hash: 'canary-hash' }).where('id', '=', id).execute();
  const shown = toUserDto(await getUser(app.db, id), { showsPii: true }, '0');
  expect(shown.mfaSecret).toBe('');
  expect(JSON.stringify(shown)).not.toContain('canary-hash');
});

test.each([
  ['somebody@mail.example', 'so***@mail.example'],
  ['abc@mail.example', 'ab***@mail.example'],
  ['ab@mail.example', 'a***@mail.example'],
  ['a@mail.example', '***@mail.example'],
])('masks %s as %s', (email, shown) => {
  expect(maskEmail(email)).toBe(shown);
});
