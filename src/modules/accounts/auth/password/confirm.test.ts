import { expect, test } from 'vitest';
import { codeOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { whileSessionsEnd } from '../../../../../test/kit/accounts/session-end.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

const on = fixture(() => startAccounts({ PLAYER_IDLE_MINUTES: '30' }));

const confirm = (token: string, password: string) =>
  on.as(token, 'POST', '/session/confirm', { body: { password } });
const confirmedAt = (id: number) =>
  on.app.db.selectFrom('sessions').select('confirmed_at').where('user_id', '=', id).execute();
const generate = (token: string) => on.as(token, 'GET', '/user/generate-2fa');

/** Registers a user whose session was started long ago. */
async function signedInLongAgo() {
  const account = await on.registered();
  const { MFA_PROOF_SECONDS } = on.app.config;
  await on.app.db
    .updateTable('sessions')
    .set({ created_at: new Date(Date.now() - (MFA_PROOF_SECONDS + 10) * 1000) })
    .where('user_id', '=', account.id)
    .execute();
  return account;
}

test('lets a session that was started long ago set up a second factor after its password is confirmed', async () => {
  const { token, password } = await signedInLongAgo();
  expect(codeOf(await generate(token))).toBe('403 SIGN_IN_AGAIN');
  expect(codeOf(await confirm(token, 'not the password'))).toBe('400 PASSWORD_INVALID');
  expect(codeOf(await generate(token))).toBe('403 SIGN_IN_AGAIN');
  const { status, body } = await confirm(token, password);
  expect([status, Object.keys(body)]).toEqual([200, ['expiresAt']]);
  const leftMs = Date.parse(body.expiresAt) - Date.now();
  expect(leftMs).toBeGreaterThan((on.app.config.MFA_PROOF_SECONDS - 60) * 1000);
  expect((await generate(token)).status).toBe(200);
});

test('confirms only the session that sent the password, and only for a short time', async () => {
  const account = await signedInLongAgo();
  const other = (await on.signIn(account)).body.accessToken.token as string;
  await confirm(other, account.password);
  expect(codeOf(await generate(account.token))).toBe('403 SIGN_IN_AGAIN');
  await confirm(account.token, account.password);
  await on.app.db
    .updateTable('sessions')
    .set({ confirmed_at: new Date(Date.now() - (on.app.config.MFA_PROOF_SECONDS + 10) * 1000) })
    .where('user_id', '=', account.id)
    .execute();
  expect(codeOf(await generate(account.token))).toBe('403 SIGN_IN_AGAIN');
});

test('rejects a session that ends while its password is compared, and leaves it unconfirmed', async () => {
  const { id, token, password } = await signedInLongAgo();
  const answer = await whileSessionsEnd(on.app, id, () => confirm(token, password));
  expect(codeOf(answer)).toBe('401 UNAUTHORIZED');
  expect(await confirmedAt(id)).toEqual([{ confirmed_at: null }]);
});

test('rejects a user who is banned while the password is compared', async () => {
  const { id, token, password } = await signedInLongAgo();
  // The process has cached the session, so the request is still authenticated.
  await on.app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', id).execute();
  expect(codeOf(await confirm(token, password))).toBe('401 UNAUTHORIZED');
  expect(await confirmedAt(id)).toEqual([{ confirmed_at: null }]);
});

test('rejects a session that has been idle for too long while the password is compared', async () => {
  const { id, token, password } = await signedInLongAgo();
  await on.app.services.sessions.flush();
  await on.app
    .sql`update sessions set last_request_at = now() - interval '1 hour' where user_id = ${id}`.execute(
    on.app.db,
  );
  expect(codeOf(await confirm(token, password))).toBe('401 UNAUTHORIZED');
  expect(await confirmedAt(id)).toEqual([{ confirmed_at: null }]);
});

test('rejects a user without a password, even just after the sign-in', async () => {
  const { id, token } = await on.registered();
  await on.app.db.updateTable('users').set({ password_hash: null }).where('id', '=', id).execute();
  expect(codeOf(await confirm(token, ''))).toBe('403 SIGN_IN_AGAIN');
});

test('limits wrong passwords together with those of other operations', async () => {
  const { token, password } = await signedInLongAgo();
  const change = () =>
    on.as(token, 'PATCH', '/user/change-password', {
      body: { currentPassword: 'not the password', newPassword: 'another good one' },
    });
  for (let i = 0; i < on.app.config.SIGN_IN_TRIES; i++)
    expect(codeOf(await (i % 2 ? change() : confirm(token, 'not the password')))).toBe(
      '400 PASSWORD_INVALID',
    );
  expect(codeOf(await confirm(token, password))).toBe('429 RATE_LIMITED');
});
