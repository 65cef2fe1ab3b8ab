import { expect, test } from 'vitest';
import { type Account, codeOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { turnOnMfa } from '../../../../../test/kit/accounts/totp.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { rawRequest } from '../../../../../test/kit/http/raw-http.ts';

const SITE = 'https://casino.example';
const on = fixture(() => startAccounts({ SITE_URL: SITE, SITE_ORIGINS: SITE }));

const SUBJECT = /^Reset your password/;
const NEXT = 'a second good one';
const forgot = (email: string, headers = {}) =>
  on.app.call('POST', '/user/forgot-password', { body: { email }, headers });
const reset = (token: string, newPassword = NEXT) =>
  on.app.call('PATCH', '/user/confirm-password-reset', { body: { token, newPassword } });
const verify = (token: string) => on.app.call('GET', `/user/verify-email?token=${token}`);
const mailsTo = async ({ email }: Pick<Account, 'email'>, subject: RegExp) =>
  (await on.mailsTo(email)).filter((mail) => subject.test(mail.subject));
const linkFor = async ({ email }: Account) => {
  expect((await forgot(email.toUpperCase())).body).toEqual({ result: true });
  return on.tokenIn(email, SUBJECT);
};
const statusOf = async (token: string) => (await on.as(token, 'GET', '/user/me')).status;

test('sets the password once when a link is used 50 times concurrently, ends all sessions and opens none', async () => {
  const account = await on.registered();
  const other = await on.signIn(account);
  const refreshToken = other.body.refreshToken.token;
  const token = await linkFor(account);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => reset(token, `${NEXT} ${i}`)));
  const results = answers.map((a) => `${a.status} ${a.text}`);
  expect(results.filter((r) => r === '200 {"result":true}')).toHaveLength(1);
  expect(results.filter((r) => r === '200 {"result":false}')).toHaveLength(49);
  for (const answer of answers) expect(answer.headers.getSetCookie()).toEqual([]);
  await expect.poll(() => statusOf(account.token)).toBe(401);
  await expect.poll(() => statusOf(other.body.accessToken.token)).toBe(401);
  const again = await on.app.call('POST', '/auth/refresh', { headers: { 'refresh-token': refreshToken } });
  expect(again.status).toBe(401);
  const winner = results.indexOf('200 {"result":true}');
  expect(codeOf(await on.signIn(account))).toBe('401 AUTH_INVALID_CREDENTIALS');
  expect(codeOf(await on.signIn({ ...account, password: `${NEXT} ${winner}` }))).toBe('201');
  expect(await mailsTo(account, /was changed$/)).toHaveLength(1);
});

test('builds the link from the configured site, whatever the Host header, and does not consume the link on other HTTP methods', async () => {
  const account = await on.registered();
  const body = JSON.stringify({ email: account.email });
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    origin: SITE,
    'content-type': 'application/json',
  };
  expect((await rawRequest(on.app.url, 'POST', '/user/forgot-password', { body, headers })).status).toBe(201);
  const token = await on.tokenIn(account.email, SUBJECT);
  const [mail] = await mailsTo(account, SUBJECT);
  expect(mail!.text).toContain(`${SITE}/reset-password#token=${token}`);
  expect(mail!.text + mail!.html).not.toContain('evil.example');
  for (const method of ['HEAD', 'GET', 'OPTIONS', 'POST'])
    await rawRequest(on.app.url, method, `/user/confirm-password-reset?token=${token}`);
  expect((await reset(token)).body).toEqual({ result: true });
});

test('returns false for a link that is replaced, expired, altered or for another purpose, and for a link of a banned user', async () => {
  const [account, banned] = [await on.registered(), await on.registered()];
  const older = await linkFor(account);
  const verification = await on.tokenIn(account.email, /^Confirm/);
  await on.app.db.deleteFrom('attempts').execute();
  const newer = await linkFor(account);
  const stopped = await linkFor(banned);
  await on.app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', banned.id).execute();
  for (const token of [older, verification, stopped, `${newer}x`, 'x', account.token.slice(0, 128)])
    expect((await reset(token)).body, token).toEqual({ result: false });
  await on.app.sql`update one_time_tokens set expires_at = now() - interval '1 second'
    where user_id = ${account.id}`.execute(on.app.db);
  expect((await reset(newer)).body).toEqual({ result: false });
  expect(codeOf(await on.signIn(account))).toBe('201');
  expect(await statusOf(account.token)).toBe(200);
});

test('rejects a weak password without consuming the link', async () => {
  const account = await on.registered();
  const token = await linkFor(account);
  for (const weak of ['password1', 'short', `${account.username} 1`, 'x'.repeat(129)]) {
    const answer = await reset(token, weak);
    expect(codeOf(answer), weak).toBe('400 VALIDATION_FAILED');
    expect(answer.body.details.fields[0].path).toBe('newPassword');
  }
  expect((await reset(token)).body).toEqual({ result: true });
});

test('keeps the second factor on, and invalidates a sign-in that was waiting for a code', async () => {
  const account = await on.registered();
  await verify(await on.tokenIn(account.email, /^Confirm/));
  const player = { id: account.id, call: (m: string, p: string, o = {}) => on.as(account.token, m, p, o) };
  const factor = await turnOnMfa(on.app, player as Parameters<typeof turnOnMfa>[1]);
  const waiting = await on.signIn(account);
  expect(waiting.body.requireMfa).toBe(true);
  expect((await reset(await linkFor(account))).body).toEqual({ result: true });
  const late = { token: waiting.body.token, mfaCode: await factor.code() };
  expect((await on.app.call('POST', '/auth/verify-2fa', { body: late })).status).toBe(401);
  const next = await on.signIn({ ...account, password: NEXT });
  expect(next.body).toMatchObject({ requireMfa: true });
  expect(next.body.accessToken).toBeUndefined();
});

test('lets the owner sign in with the new password after other people have used up the sign-in attempts', async () => {
  const account = await on.registered();
  for (let i = 0; i < 4; i++) await on.signIn({ ...account, password: 'wrong' });
  expect(codeOf(await on.signIn(account))).toBe('429 RATE_LIMITED');
  await reset(await linkFor(account));
  expect(codeOf(await on.signIn({ ...account, password: NEXT }))).toBe('201');
});

test('sends at most three links an hour, and none for an unverified address without a password', async () => {
  const account = await on.registered();
  const answers = await Promise.all(Array.from({ length: 8 }, () => forgot(account.email)));
  expect(new Set(answers.map((a) => `${a.status} ${a.text}`))).toEqual(new Set(['201 {"result":true}']));
  expect(await mailsTo(account, SUBJECT)).toHaveLength(3);
  const { username } = await on.app.newPlayer();
  const email = `${username}@test.example`;
  await forgot(email);
  expect(await mailsTo({ email }, SUBJECT)).toHaveLength(0);
  await on.app.db.updateTable('users').set({ email_verified: true }).where('email', '=', email).execute();
  await forgot(email);
  expect(await mailsTo({ email }, SUBJECT)).toHaveLength(1);
});
