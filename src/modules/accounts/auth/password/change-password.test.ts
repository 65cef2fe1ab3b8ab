import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { type Account, codeOf, deviceOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { turnOnMfa, wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

const on = fixture(startAccounts);
/** Another process that uses the same database. */
const two = fixture(() => startApp({ database: on.app.database }));

const NEXT = 'a second good one';
type Change = { currentPassword?: string; newPassword?: string; mfaCode?: string };
const change = (
  { token, password }: Pick<Account, 'token' | 'password'>,
  fields: Change = {},
  headers = {},
) =>
  on.as(token, 'PATCH', '/user/change-password', {
    body: { currentPassword: password, newPassword: NEXT, ...fields },
    headers,
  });
const statusOf = async (token: string, app = on.app) => (await app.call('GET', '/user/me', { token })).status;

test('ends every other session and refresh token in all processes when the password changes', async () => {
  const account = await on.registered();
  const others = [await on.signIn(account), await on.signIn(account)];
  const tokens = others.map(({ body }) => body.accessToken.token as string);
  for (const token of [...tokens, account.token])
    for (const app of [on.app, two]) expect(await statusOf(token, app)).toBe(200);
  const answer = await change(account);
  expect([answer.status, answer.body]).toEqual([200, { result: true }]);
  for (const token of tokens)
    for (const app of [on.app, two]) await expect.poll(() => statusOf(token, app)).toBe(401);
  for (const { body } of others) {
    const headers = { 'refresh-token': body.refreshToken.token };
    expect((await on.app.call('POST', '/auth/refresh', { headers })).status).toBe(401);
  }
  expect(await statusOf(account.token)).toBe(200);
  expect(codeOf(await on.signIn(account))).toBe('401 AUTH_INVALID_CREDENTIALS');
  expect(codeOf(await on.signIn({ ...account, password: NEXT }))).toBe('201');
  const mails = (await on.mailsTo(account.email)).filter(({ subject }) => /was changed$/.test(subject));
  expect(mails).toHaveLength(1);
});

test('issues a new device cookie when the password changes, and no longer recognizes the old cookie', async () => {
  const account = await on.registered();
  const known = { cookie: account.device };
  const device = deviceOf(await change(account, {}, known));
  const headers = { cookie: device };
  expect((await on.signIn({ ...account, password: NEXT }, headers)).status).toBe(201);
  const told = async () =>
    (await on.mailsTo(account.email)).filter(({ subject }) => /^New sign-in/.test(subject)).length;
  expect(await told()).toBe(0);
  await on.signIn({ ...account, password: NEXT }, known);
  expect(await told()).toBe(1);
  const plain = await on.registered();
  expect((await change(plain)).headers.getSetCookie()).toEqual([]);
});

test('allows a session three guesses of the current password', async () => {
  const account = await on.registered();
  const guesses = Array.from({ length: 20 }, (_, i) => change(account, { currentPassword: `guess ${i}` }));
  const codes = (await Promise.all(guesses)).map(codeOf);
  expect(codes.filter((code) => code === '400 PASSWORD_INVALID')).toHaveLength(3);
  expect(codes.filter((code) => code === '429 RATE_LIMITED')).toHaveLength(17);
  expect(codeOf(await change(account))).toBe('429 RATE_LIMITED');
  expect(codeOf(await on.signIn(account))).toBe('201');
});

test('applies only one of two concurrent password changes', async () => {
  const account = await on.registered();
  const answers = await Promise.all([change(account), change(account, { newPassword: `${NEXT} too` })]);
  expect(answers.map(codeOf).sort()).toEqual(['200', '400 PASSWORD_INVALID']);
});

test('rejects a sign-in that started with the old password once the change commits', async () => {
  const account = await on.registered();
  const password_hash = await on.app.services.signUps.hashPassword(NEXT, {});
  let waiting: ReturnType<typeof on.signIn> | undefined;
  await on.app.db.transaction().execute(async (tx) => {
    await tx.updateTable('users').set({ password_hash }).where('id', '=', account.id).execute();
    // The change is not committed yet, so other connections still see the old password.
    waiting = on.signIn(account);
    const locked = async () => {
      const { rows } = await on.app.sql`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%for no key update%'`.execute(on.app.db);
      return rows.length;
    };
    await expect.poll(locked).toBe(1);
  });
  expect(codeOf(await waiting!)).toBe('401 AUTH_INVALID_CREDENTIALS');
  const { rows } = await on.app.sql`select 1 from sessions where user_id = ${account.id}`.execute(on.app.db);
  expect(rows).toHaveLength(1);
});

test('requires a valid code when a second factor is on, and returns 403 for a missing code and 400 for a wrong one', async () => {
  const account = await on.registered();
  const call: Player['call'] = (method, path, options) => on.as(account.token, method, path, options);
  const factor = await turnOnMfa(on.app, { id: account.id, call });
  const { sid } = decodeJwt(account.token);
  const age = { mfa_at: new Date(Date.now() - 3_600_000) };
  await on.app.db.updateTable('sessions').set(age).where('id', '=', String(sid)).execute();
  expect(codeOf(await change(account))).toBe('403 MFA_REQUIRED');
  expect(codeOf(await change(account, { mfaCode: wrongCode(factor.secret) }))).toBe('400 MFA_INVALID');
  expect(codeOf(await change(account, { mfaCode: await factor.code(), currentPassword: 'wrong' }))).toBe(
    '400 PASSWORD_INVALID',
  );
  expect((await on.signIn(account)).body.requireMfa).toBe(true);
  expect(codeOf(await change(account, { mfaCode: await factor.code() }))).toBe('200');
});

test('allows a user without a password to set one only within five minutes of signing in', async () => {
  const player = await on.app.newPlayer();
  const email = `${player.username}@test.example`;
  const late = { created_at: new Date(Date.now() - 301_000) };
  const mine = { token: player.token, password: '' };
  await on.app.db.updateTable('sessions').set(late).where('user_id', '=', player.id).execute();
  expect(codeOf(await change(mine))).toBe('403 SIGN_IN_AGAIN');
  const again = await on.app.newPlayer({ username: player.username });
  expect(codeOf(await change({ ...mine, token: again.token }))).toBe('200');
  await expect.poll(() => statusOf(player.token)).toBe(401);
  expect(codeOf(await on.signIn({ email, password: NEXT }))).toBe('201');
  expect(codeOf(await change({ ...mine, token: again.token }))).toBe('400 PASSWORD_INVALID');
});

test('rejects invalid fields with 400 and a missing session with 401', async () => {
  const account = await on.registered();
  for (const fields of [
    { newPassword: 'password1' },
    { newPassword: 'seven77' },
    { newPassword: account.email },
    { currentPassword: 'x'.repeat(129) },
    { mfaCode: '' },
  ]) {
    const answer = await change(account, fields);
    expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
    expect(answer.body.details.fields[0].path).toBe(Object.keys(fields)[0]);
  }
  const body = { currentPassword: account.password, newPassword: NEXT };
  expect(codeOf(await on.app.call('PATCH', '/user/change-password', { body }))).toBe('401 UNAUTHORIZED');
});
