import { expect, test } from 'vitest';
import { type Account, codeOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { rawRequest } from '../../../../../test/kit/http/raw-http.ts';

const SITE = 'https://casino.example';
const on = fixture(() => startAccounts({ SITE_URL: SITE, SITE_ORIGINS: SITE }));

const SUBJECT = /^Confirm your email/;
const verify = (token: string, headers = {}) =>
  on.app.call('GET', `/user/verify-email?${new URLSearchParams({ token })}`, { headers });
const request = ({ token }: Account, headers = {}) =>
  on.as(token, 'GET', '/user/request-email-verification', { headers });
const linksTo = async ({ email }: Account) =>
  (await on.mailsTo(email)).filter(({ subject }) => SUBJECT.test(subject));
const isVerified = async ({ token }: Account) =>
  (await on.as(token, 'GET', '/user/me')).body.emailVerified as boolean;

test('sends a link to the configured site, whatever the Host header, and verifies the email only once in 50 concurrent calls', async () => {
  const account = await on.registered({ host: 'evil.example', 'x-forwarded-host': 'evil.example' });
  const token = await on.tokenIn(account.email, SUBJECT);
  const [mail] = await linksTo(account);
  expect(mail!.text).toContain(`${SITE}/verify-email#token=${token}`);
  expect(mail!.text + mail!.html).not.toContain('evil.example');
  expect(await isVerified(account)).toBe(false);
  const answers = await Promise.all(Array.from({ length: 50 }, () => verify(token)));
  expect(new Set(answers.map((a) => `${a.status} ${a.text}`))).toEqual(new Set(['200 {"result":true}']));
  expect(await isVerified(account)).toBe(true);
  expect((await verify(token)).body).toEqual({ result: true });
  await on.app.db.updateTable('users').set({ email_verified: false }).where('id', '=', account.id).execute();
  expect((await verify(token)).body).toEqual({ result: false });
  expect(await isVerified(account)).toBe(false);
});

test('does not consume the link on HEAD or on a cross-site request', async () => {
  const account = await on.registered();
  const token = await on.tokenIn(account.email, SUBJECT);
  const path = `/user/verify-email?token=${token}`;
  expect((await rawRequest(on.app.url, 'HEAD', path)).status).toBe(405);
  expect(codeOf(await verify(token, { 'sec-fetch-site': 'cross-site' }))).toBe('403 ORIGIN_FORBIDDEN');
  expect(await isVerified(account)).toBe(false);
  expect((await verify(token, { 'sec-fetch-site': 'same-site' })).body).toEqual({ result: true });
});

test('returns false for links that were replaced, altered, sent to a previous email or have expired', async () => {
  const account = await on.registered();
  const older = await on.tokenIn(account.email, SUBJECT);
  expect((await request(account)).status).toBe(200);
  const newer = await on.tokenIn(account.email, SUBJECT);
  expect(newer).not.toBe(older);
  for (const token of [older, 'x', `${newer}x`, newer.toLowerCase(), account.token.slice(0, 128)])
    expect((await verify(token)).body, token).toEqual({ result: false });
  const expire = (at: string) =>
    on.app.sql`update one_time_tokens set expires_at = now() + ${at}::interval
      where user_id = ${account.id} and used_at is null`.execute(on.app.db);
  await expire('-1 second');
  expect((await verify(newer)).body).toEqual({ result: false });
  await expire('1 hour');
  const other = `other_${account.email}`;
  await on.app.db.updateTable('users').set({ email: other }).where('id', '=', account.id).execute();
  expect((await verify(newer)).body).toEqual({ result: false });
  expect(await isVerified(account)).toBe(false);
  for (const query of ['', '?token=', `?token=${'x'.repeat(129)}`, '?token=a&token=b'])
    expect(codeOf(await on.app.call('GET', `/user/verify-email${query}`))).toBe('400 VALIDATION_FAILED');
});

test('sends at most three more links an hour and none to a verified email, and rejects cross-site requests', async () => {
  const account = await on.registered();
  expect(codeOf(await request(account, { 'sec-fetch-site': 'cross-site' }))).toBe('403 ORIGIN_FORBIDDEN');
  const codes = (await Promise.all(Array.from({ length: 10 }, () => request(account)))).map(codeOf);
  expect(codes.filter((code) => code === '200')).toHaveLength(3);
  expect(codes.filter((code) => code === '429 RATE_LIMITED')).toHaveLength(7);
  expect(await linksTo(account)).toHaveLength(4);
  const { rows } = await on.app.sql`select 1 from one_time_tokens
    where user_id = ${account.id} and purpose = 'VERIFY_EMAIL' and used_at is null`.execute(on.app.db);
  expect(rows).toHaveLength(1);
  await on.app.db.deleteFrom('attempts').execute();
  const done = await on.registered();
  await verify(await on.tokenIn(done.email, SUBJECT));
  for (let i = 0; i < 5; i++) expect((await request(done)).status).toBe(200);
  expect(await linksTo(done)).toHaveLength(1);
  expect(codeOf(await on.app.call('GET', '/user/request-email-verification'))).toBe('401 UNAUTHORIZED');
});

test('stores only a hash of the link token', async () => {
  const account = await on.registered();
  const token = await on.tokenIn(account.email, SUBJECT);
  const rows = await on.app.db.selectFrom('one_time_tokens').selectAll().execute();
  expect(rows.some((row) => row.user_id === account.id && row.hash.length === 32)).toBe(true);
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(rows.some((row) => row.hash.equals(Buffer.from(token, 'base64url')))).toBe(false);
});
