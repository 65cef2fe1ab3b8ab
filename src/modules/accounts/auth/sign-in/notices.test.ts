import { expect, test } from 'vitest';
import { type Account, codeOf, deviceOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { turnOnMfa } from '../../../../../test/kit/accounts/totp.ts';
import type { Player } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

const on = fixture(() => startAccounts({ TRUSTED_PROXIES: '127.0.0.1', SIGN_IN_TRIES: '5' }));

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0';
const mailsOf = async ({ email }: Pick<Account, 'email'>, subject: RegExp) =>
  (await on.mailsTo(email)).filter((mail) => subject.test(mail.subject));
const NEW_DEVICE = /^New sign-in/;
const ALREADY = /^You already have/;
const SUSPICIOUS = /^Someone may know your password/;

/** Returns a user's notifications, newest first. */
const toldTo = async ({ token }: Pick<Account, 'token'>): Promise<string[]> =>
  (await on.as(token, 'GET', '/notifications')).body.map(({ payload }: any) => payload.code);

test('emails the details of a sign-in from an unknown device, and sends nothing for a known one', async () => {
  const account = await on.registered();
  expect(await mailsOf(account, NEW_DEVICE)).toHaveLength(0);
  const known = await on.signIn(account, { cookie: account.device });
  expect(known.status).toBe(201);
  // A renewed cookie identifies the device in the same way as the first cookie.
  await on.signIn(account, { cookie: deviceOf(known) });
  expect(await mailsOf(account, NEW_DEVICE)).toHaveLength(0);
  const headers = { 'user-agent': FIREFOX, 'x-forwarded-for': '193.99.144.80' };
  const strange = await on.signIn(account, headers);
  const [mail] = await mailsOf(account, NEW_DEVICE);
  for (const fact of ['Firefox 144', 'Linux', '193.99.144.80', 'Germany']) expect(mail!.text).toContain(fact);
  await on.signIn(account, { ...headers, cookie: deviceOf(strange) });
  expect(await mailsOf(account, NEW_DEVICE)).toHaveLength(1);
  expect(await toldTo(account)).toEqual(['security.new-device']);
});

test('tracks known devices separately for each account used in the same browser', async () => {
  const [one, two] = [await on.registered(), await on.registered()];
  const shared = deviceOf(await on.signIn(two, { cookie: one.device }));
  expect(await mailsOf(two, NEW_DEVICE)).toHaveLength(1);
  for (const account of [one, two]) await on.signIn(account, { cookie: shared });
  expect(await mailsOf(one, NEW_DEVICE)).toHaveLength(0);
  expect(await mailsOf(two, NEW_DEVICE)).toHaveLength(1);
});

test('sends one warning email after repeated correct passwords without the second factor', async () => {
  const account = await on.registered();
  const call: Player['call'] = (method, path, options) => on.as(account.token, method, path, options);
  const factor = await turnOnMfa(on.app, { id: account.id, call });
  const challenge = async () => (await on.signIn(account, { cookie: account.device })).body.token as string;
  const complete = async () => {
    const body = { token: await challenge(), mfaCode: await factor.code() };
    return on.app.call('POST', '/auth/verify-2fa', { body, headers: { cookie: account.device } });
  };
  for (let i = 0; i < 4; i++) expect((await complete()).status).toBe(200);
  expect(await mailsOf(account, SUSPICIOUS)).toHaveLength(0);
  expect(await mailsOf(account, NEW_DEVICE)).toHaveLength(0);
  await Promise.all(Array.from({ length: 5 }, challenge));
  expect(await mailsOf(account, SUSPICIOUS)).toHaveLength(1);
  expect(await toldTo(account)).toEqual(['security.sign-in-failures', 'security.mfa-enabled']);
  // A correct password counts as a failed attempt until the second factor is proven.
  expect(codeOf(await on.signIn(account, { cookie: account.device }))).toBe('429 RATE_LIMITED');
});

test('returns the same 409 for a taken email and a taken username, and emails the owner at most once an hour', async () => {
  const owner = await on.registered();
  const attempt = (fields: object, from: string) =>
    on.signUp({ ...newcomer(), ...fields }, { 'x-forwarded-for': from });
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, (_, i) => attempt({ email: owner.email }, `10.1.${i}.1`)),
    attempt({ email: owner.email.toUpperCase() }, '10.1.9.1'),
    attempt({ username: owner.username }, '10.1.10.1'),
  ]);
  const seen = answers.map(({ status, text, body }) => `${status} ${text.replace(body.requestId, '')}`);
  expect(new Set(seen).size).toBe(1);
  expect(codeOf(answers[0]!)).toBe('409 AUTH_USER_EXISTS');
  const mails = await mailsOf(owner, ALREADY);
  expect(mails).toHaveLength(1);
  expect(mails[0]!.text).toContain(on.app.config.SITE_URL);
});

test('rate-limits a caller who requests many taken names, even when a later name is free, but not other callers', async () => {
  const owner = await on.registered();
  const attempt = (fields: object, from: string) =>
    on.signUp({ ...newcomer(), ...fields }, { 'x-forwarded-for': from });
  for (let i = 0; i < 20; i++)
    expect(codeOf(await attempt({ username: owner.username }, '10.2.0.1'))).toBe('409 AUTH_USER_EXISTS');
  const refused = await attempt({}, '10.2.0.1');
  expect(codeOf(refused)).toBe('429 RATE_LIMITED');
  expect(refused.body.details.retryAfterSeconds).toBeGreaterThan(3000);
  expect(codeOf(await attempt({}, '10.2.0.2'))).toBe('200');
});
