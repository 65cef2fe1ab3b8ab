import { expect, test } from 'vitest';
import { type Account, codeOf, startAccounts } from '../../../../test/kit/accounts/accounts.ts';
import { addPasskey, authenticatorFor, listed, passkeyDoor } from '../../../../test/kit/accounts/passkeys.ts';
import { turnOnMfa } from '../../../../test/kit/accounts/totp.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const on = fixture(startAccounts);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: on.app.database }));
const clerk = fixture(() => on.app.as({ permissions: ['user.resetMfa'] }));

const body = { reason: 'showed passport and selfie, ticket 4711' };
const resetMfa = (by: Player, { id }: { id: number }, sent: object = body) =>
  by.call('DELETE', `/admin/user/${id}/mfa`, { body: sent });
const playerOf = ({ id, token }: Pick<Account, 'id' | 'token'>): Player =>
  ({ id, call: (m: string, p: string, o = {}) => on.as(token, m, p, o) }) as Player;
const withFactor = async () => {
  const account = await on.registered();
  const { recoveryCodes } = await turnOnMfa(on.app, playerOf(account));
  return { account, recoveryCodes };
};
const isProtected = async ({ id }: { id: number }) =>
  (
    await on.app.db
      .selectFrom('users')
      .select('is_mfa_enabled')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).is_mfa_enabled;
const auditOf = (id: number) =>
  on.app.db
    .selectFrom('admin_audit')
    .select(['user_id', 'status_code', 'reason', 'before', 'after'])
    .where('path', 'like', `%/user/${id}/mfa`)
    .orderBy('id')
    .execute();

test('removes a lost second factor and its recovery codes, ends sessions, emails the owner and audits the reason', async () => {
  const { account, recoveryCodes } = await withFactor();
  const half = (await on.signIn(account)).body;
  const answer = await resetMfa(clerk, account);
  expect(codeOf(answer)).toBe('200');
  expect(answer.body).toMatchObject({ id: account.id, mfaSecret: '' });
  expect(await isProtected(account)).toBe(false);
  await expect.poll(async () => (await on.as(account.token, 'GET', '/user/me')).status).toBe(401);
  const proof = { token: half.token, mfaCode: recoveryCodes[0] };
  expect((await on.app.call('POST', '/auth/verify-2fa', { body: proof })).status).toBe(401);
  expect((await on.signIn(account)).body.accessToken).toBeDefined();
  expect((await on.mailsTo(account.email)).map(({ subject }) => subject)).toContainEqual(
    expect.stringMatching(/^Two-factor authentication was reset/),
  );
  const { factor_reset } = await on.app.db
    .selectFrom('mfa_secrets')
    .select('reset_at as factor_reset')
    .where('user_id', '=', account.id)
    .executeTakeFirstOrThrow();
  expect(factor_reset).toBeInstanceOf(Date);
  const [row] = await auditOf(account.id);
  expect(row).toMatchObject({ user_id: clerk.id, status_code: 200, reason: body.reason });
  expect(row!.before).toMatchObject({ mfaEnabled: true });
  expect(row!.after).toMatchObject({ mfaEnabled: false });
});

test('removes all passkeys, with or without an authenticator app, and rejects later sign-ins with them', async () => {
  for (const hasApp of [true, false]) {
    const account = await on.registered();
    if (hasApp) await turnOnMfa(on.app, playerOf(account));
    const authenticator = authenticatorFor(on.app);
    await addPasskey(playerOf(account), authenticator);
    const door = passkeyDoor(on.app, on.outside.solve);
    const under = await door.signInOptions();
    expect(codeOf(await resetMfa(clerk, account))).toBe('200');
    expect(await isProtected(account)).toBe(false);
    const late = { attempt: under.attempt, response: authenticator.get(under.options) };
    expect(codeOf(await door.finish(late))).toBe('401 PASSKEY_REFUSED');
    const { accessToken } = (await on.signIn(account)).body;
    expect(await listed(playerOf({ ...account, token: accessToken.token }))).toEqual({
      passkeys: [],
      isAppEnabled: false,
      recoveryCodesLeft: 0,
    });
    const { reset_at } = await on.app.db
      .selectFrom('mfa_secrets')
      .select('reset_at')
      .where('user_id', '=', account.id)
      .executeTakeFirstOrThrow();
    expect(reset_at).toBeInstanceOf(Date);
    expect(codeOf(await resetMfa(clerk, account))).toBe('409 USER_WITHOUT_MFA');
  }
});

test('resets a second factor in the backoffice', async () => {
  const { account } = await withFactor();
  const options = { token: clerk.token, body };
  expect(codeOf(await backoffice.call('DELETE', `/user/${account.id}/mfa`, options))).toBe('200');
  expect(await isProtected(account)).toBe(false);
});

test("rejects callers without a session, permission or reason, and resets of the caller's own account or of other staff", async () => {
  const { account } = await withFactor();
  const other = await on.app.as({ permissions: ['user.write', 'user.ban', 'staff.write'] });
  const superadmin = await on.app.as('superadmin');
  await turnOnMfa(on.app, superadmin);
  const self = await on.app.as({ permissions: ['user.resetMfa'] });
  await turnOnMfa(on.app, self);
  const anonymous = { call: on.app.call } as Player;
  expect(codeOf(await resetMfa(anonymous, account))).toBe('401 UNAUTHORIZED');
  expect(codeOf(await resetMfa(await on.app.newPlayer(), account))).toBe('403 FORBIDDEN');
  expect(codeOf(await resetMfa(other, account))).toBe('403 FORBIDDEN');
  expect(codeOf(await resetMfa(self, self))).toBe('403 OWN_ACCOUNT');
  for (const colleague of [superadmin, self])
    expect(codeOf(await resetMfa(clerk, colleague))).toBe('403 FORBIDDEN');
  for (const sent of [{}, { reason: '' }, { reason: '   ' }, { reason: 7 }, { ...body, force: true }])
    expect(codeOf(await resetMfa(clerk, account, sent))).toBe('400 VALIDATION_FAILED');
  for (const user of [account, superadmin, self]) expect(await isProtected(user)).toBe(true);
  expect((await on.as(account.token, 'GET', '/user/me')).status).toBe(200);
});

test('lets a superadmin remove the second factor of a staff member', async () => {
  const [superadmin, colleague] = [
    await on.app.as('superadmin'),
    await on.app.as({ permissions: ['user.read'] }),
  ];
  await turnOnMfa(on.app, colleague);
  expect(codeOf(await resetMfa(superadmin, colleague))).toBe('200');
  expect(await isProtected(colleague)).toBe(false);
});

test('rejects the reset with USER_WITHOUT_MFA if there is no active factor, and keeps an unconfirmed factor', async () => {
  const account = await on.registered();
  expect(codeOf(await resetMfa(clerk, account))).toBe('409 USER_WITHOUT_MFA');
  await on.as(account.token, 'GET', '/user/generate-2fa');
  expect(codeOf(await resetMfa(clerk, account))).toBe('409 USER_WITHOUT_MFA');
  expect(codeOf(await resetMfa(clerk, { id: 2_000_000_000 }))).toBe('404 USER_NOT_FOUND');
  const pending = await on.app.db
    .selectFrom('pending_factors')
    .innerJoin('sessions', 'sessions.id', 'session_id')
    .select('key')
    .where('user_id', '=', account.id)
    .execute();
  expect(pending).toHaveLength(1);
});

test('requires a recent second-factor check when staff must use a second factor', async () => {
  const strict = await startApp({ database: on.app.database, env: { STAFF_MFA_REQUIRED: 'true' } });
  const { account } = await withFactor();
  const by = await on.app.as({ permissions: ['user.resetMfa'] });
  const mine = await turnOnMfa(on.app, by);
  await on.app.sql`update sessions set mfa_at = now() - interval '1 day' where user_id = ${by.id}`.execute(
    on.app.db,
  );
  const ask = (headers: Record<string, string> = {}) =>
    strict.call('DELETE', `/admin/user/${account.id}/mfa`, { token: by.token, body, headers });
  expect(codeOf(await ask())).toBe('403 MFA_REQUIRED');
  expect(await isProtected(account)).toBe(true);
  expect(codeOf(await ask({ 'x-mfa-code': await mine.code() }))).toBe('200');
  await strict.stop();
});
