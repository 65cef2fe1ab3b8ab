import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Answer, startApp } from '../../../../../test/kit/app.ts';
import { startMailWorker } from '../../../../../test/kit/backoffice/mail.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  aName,
  anEmail,
  comeBack,
  factsOf,
  setOut,
  stepsAt,
  tokenOf,
  WAYS,
} from '../../../../../test/kit/games/providers.ts';
import { signInAtOidc, startOutside } from '../../../../../test/kit/http/outside.ts';
import { issueToken } from '../one-time-tokens.ts';

const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: { ...outside.env, TRUSTED_PROXIES: '127.0.0.1' } }));

const { signIn, setUp, member } = stepsAt(app);
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code}`;
const usersCalled = (username: string) =>
  app.db.selectFrom('users').select('id').where('username', '=', username).execute();

test('rejects a taken email with 409, notifies its owner, links nothing and keeps the setup token valid', async () => {
  const owner = { username: aName(), email: anEmail() };
  const password = randomBytes(12).toString('hex');
  const captcha = { 'x-captcha-token': await outside.solve() };
  const up = await app.call('POST', '/auth/sign-up', { body: { ...owner, password }, headers: captcha });
  expect(up.status).toBe(200);
  const visit = (url: URL) => signInAtOidc(url.href, { email: owner.email, emailVerified: true });
  const token = tokenOf(await signIn('google', { visit }));
  for (const email of [owner.email, owner.email.toUpperCase()])
    expect(codeOf(await setUp(token, { username: aName(), email }))).toBe('409 AUTH_USER_EXISTS');
  expect(codeOf(await setUp(token, { ...owner, email: anEmail() }))).toBe('409 AUTH_USER_EXISTS');
  const { rows } = await app.sql`select payload from graphile_worker._private_jobs j
    where j.payload ->> 'template' = 'already-registered'`.execute(app.db);
  expect(rows).toHaveLength(1);
  const worker = startMailWorker(app);
  const mail = await outside.waitForMail(owner.email, ({ text }) => text.includes('forgot-password'));
  expect(mail.text).toContain(outside.env.SITE_URL);
  await worker.close();

  const other = anEmail();
  const opened = await setUp(token, { username: aName(), email: other });
  expect(opened.status).toBe(201);
  const { user_id } = await app.db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .select(['user_id'])
    .where('identities.email', '=', owner.email)
    .executeTakeFirstOrThrow();
  const users = await app.db
    .selectFrom('users')
    .select(['id', 'email', 'email_verified'])
    .where('email', 'in', [owner.email, other])
    .orderBy('id')
    .execute();
  expect(users).toEqual([
    { id: expect.any(Number), email: owner.email, email_verified: false },
    { id: user_id, email: other, email_verified: false },
  ]);
  expect(factsOf(await signIn('google', { visit }))).toEqual({ signedIn: 'true' });
});

test('opens an account without the cookie when the page sends the correct nonce', async () => {
  const nonce = randomBytes(32).toString('base64url');
  const begin = async (own?: string) => {
    const trip = await setOut(app, 'google', own);
    const email = anEmail();
    const answer = await comeBack(app, await signInAtOidc(trip.url.href, { email }), { cookie: trip.cookie });
    return { token: tokenOf(answer), form: { username: aName(), email } };
  };
  const { token, form } = await begin(nonce);
  const other = randomBytes(32).toString('base64url');
  for (const wrong of [token, `${token}.`, `${token}.${other}`, `${token}.${nonce.slice(1)}`])
    expect(codeOf(await setUp(wrong, form)), wrong).toBe('401 SETUP_TOKEN_INVALID');
  const answers = await Promise.all(Array.from({ length: 3 }, () => setUp(`${token}.${nonce}`, form)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
  const without = await begin();
  expect(codeOf(await setUp(`${without.token}.${nonce}`, without.form))).toBe('401 SETUP_TOKEN_INVALID');
  for (const short of ['x', 'x'.repeat(129), 'x y'])
    expect(codeOf(await app.call('GET', `/auth/google?nonce=${encodeURIComponent(short)}`))).toBe(
      '400 VALIDATION_FAILED',
    );
});

test('verifies the email only when the provider has verified exactly that address, and sends an email otherwise', async () => {
  const cases = [
    { email: anEmail(), emailVerified: true, same: true, verified: true },
    { email: anEmail(), emailVerified: false, same: true, verified: false },
    { email: anEmail(), emailVerified: true, same: false, verified: false },
  ];
  for (const { email, emailVerified, same, verified } of cases) {
    const visit = (url: URL) => signInAtOidc(url.href, { email, emailVerified });
    const form = { username: aName(), email: same ? email : email.toUpperCase() };
    const before = await mails();
    expect((await setUp(tokenOf(await signIn('google', { visit })), form)).status).toBe(201);
    const user = await app.db
      .selectFrom('users')
      .select('email_verified')
      .where('username', '=', form.username)
      .executeTakeFirstOrThrow();
    expect(user.email_verified).toBe(verified);
    expect((await mails()) - before).toBe(verified ? 0 : 1);
  }
});
const mails = async () => {
  const { rows } = await app.sql<{ n: number }>`select count(*)::int as n from graphile_worker._private_jobs
    where payload ->> 'template' = 'verify-email'`.execute(app.db);
  return rows[0]!.n;
};

test('accepts a setup token only in the browser that returned from the provider, and does not consume it elsewhere', async () => {
  const answer = await signIn('google', WAYS.google());
  const token = tokenOf(answer);
  // The browser keeps its cookie until the account is opened.
  expect(answer.headers.getSetCookie()).toEqual([]);
  const others = [(await setOut(app, 'google')).cookie, (await setOut(app, 'steam')).cookie];
  const form = { username: aName(), email: anEmail() };
  // Makes more attempts than the limit for usernames allows.
  for (const cookie of ['', '__Host-idp_state=', '__Host-idp_state=x', ...others, ...Array(10).fill('')]) {
    const refused = await setUp(token, form, { cookie });
    expect(codeOf(refused), cookie).toBe('401 SETUP_TOKEN_INVALID');
    expect(refused.headers.getSetCookie()).toEqual([]);
  }
  expect(await usersCalled(form.username)).toEqual([]);
  const opened = await setUp(token, form);
  expect(opened.status, opened.text).toBe(201);
  expect(opened.headers.getSetCookie()).toContainEqual(
    expect.stringMatching(/^__Host-idp_state=; Path=\/; Expires=Thu, 01 Jan 1970/),
  );
});

test('disconnects the identity of a stranger when the owner of the email resets the password', async () => {
  const email = anEmail();
  const who = WAYS.steam();
  const opened = await setUp(tokenOf(await signIn('steam', who)), { username: aName(), email });
  const stranger = opened.body.accessToken.token;
  const { id } = (await app.call('GET', '/user/me', { token: stranger })).body;
  const first = await app.call('PATCH', '/user/change-password', {
    token: stranger,
    body: { currentPassword: '', newPassword: 'the first of a stranger' },
  });
  expect(first.status, first.text).toBe(200);
  const userOf = () =>
    app.db.selectFrom('users').select('email_verified').where('id', '=', id).executeTakeFirstOrThrow();
  expect(await userOf()).toEqual({ email_verified: false });

  expect((await app.call('POST', '/user/forgot-password', { body: { email } })).status).toBe(201);
  const worker = startMailWorker(app);
  const mail = await outside.waitForMail(email, ({ text }) => text.includes('reset-password#token='));
  await worker.close();
  const token = /#token=([\w-]+)/.exec(mail.text)![1]!;
  const newPassword = 'the own one of the owner';
  const reset = await app.call('PATCH', '/user/confirm-password-reset', { body: { token, newPassword } });
  expect(reset.body).toEqual({ result: true });
  expect(await userOf()).toEqual({ email_verified: true });

  const again = await signIn('steam', who);
  expect(Object.keys(factsOf(again))).toEqual(['setupUsernameToken']);
  expect(again.headers.getSetCookie()).toEqual([]);
  expect((await app.call('GET', '/user/me', { token: stranger })).status).toBe(401);
  const headers = { 'x-captcha-token': await outside.solve() };
  const mine = await app.call('POST', '/auth/sign-in', { body: { email, password: newPassword }, headers });
  const me = await app.call('GET', '/user/me', { token: mine.body.accessToken.token });
  expect(me.body.id).toBe(id);
});

test('keeps connected identities when a reset uses an email that was already verified', async () => {
  const who = await member('google');
  const link = { email: who.email, userId: who.user.id };
  const token = await resetTokenOf(link);
  const body = { token, newPassword: 'another one, as it happens' };
  expect((await app.call('PATCH', '/user/confirm-password-reset', { body })).body).toEqual({ result: true });
  expect(factsOf(await signIn('google', who))).toEqual({ signedIn: 'true' });
});
const resetTokenOf = ({ email, userId }: { email: string; userId: number }) =>
  issueToken(app.db, { purpose: 'RESET_PASSWORD', userId, lifeSeconds: 60, payload: { email } });

test('opens exactly one account when one token is used 8 times concurrently', async () => {
  const who = WAYS.steam();
  const token = tokenOf(await signIn('steam', who));
  const forms = Array.from({ length: 8 }, () => ({ username: aName(), email: anEmail() }));
  const codes = (await Promise.all(forms.map((form) => setUp(token, form)))).map((a) =>
    a.status === 201 ? '201' : codeOf(a),
  );
  expect(codes.filter((c) => c === '201')).toHaveLength(1);
  expect(codes.filter((c) => c === '401 SETUP_TOKEN_INVALID')).toHaveLength(7);
  const made = await Promise.all(forms.map(({ username }) => usersCalled(username)));
  expect(made.flat()).toHaveLength(1);
  expect(codeOf(await setUp(token, { username: aName(), email: anEmail() }))).toBe('401 SETUP_TOKEN_INVALID');
});

test('opens exactly one account when two tokens of one identity are used concurrently', async () => {
  const who = WAYS.steam();
  const tokens = [tokenOf(await signIn('steam', who)), tokenOf(await signIn('steam', who))];
  const codes = await Promise.all(
    tokens.map(async (token) => codeOf(await setUp(token, { username: aName(), email: anEmail() }))),
  );
  expect(codes.sort()).toEqual(['201 undefined', '409 IDENTITY_TAKEN']);
  const { rows } = await app.sql`select 1 from identities where subject = ${who.accountId}`.execute(app.db);
  expect(rows).toHaveLength(1);
  expect(factsOf(await signIn('steam', who))).toEqual({ signedIn: 'true' });
});

test('rejects setup tokens that are expired, unknown or for another purpose', async () => {
  const form = () => ({ username: aName(), email: anEmail() });
  const old = tokenOf(await signIn('steam', WAYS.steam()));
  const { rows } = await app.sql`update one_time_tokens set expires_at = now()
    where purpose = 'SETUP_USERNAME' and used_at is null returning 1`.execute(app.db);
  expect(rows.length).toBeGreaterThan(0);
  const { url, cookie } = await setOut(app, 'google');
  expect(codeOf(await setUp(old, form()))).toBe('401 SETUP_TOKEN_INVALID');
  for (const token of [url.searchParams.get('state')!, 'nobody', 'x'.repeat(128)])
    expect(codeOf(await setUp(token, form(), { cookie }))).toBe('401 SETUP_TOKEN_INVALID');
  for (const token of ['', 'x'.repeat(129)])
    expect(codeOf(await setUp(token, form()))).toBe('400 VALIDATION_FAILED');
});

test('limits requests for taken names to ten an hour across all tokens of an identity', async () => {
  const taken = await member();
  const who = WAYS.steam();
  const tokens = [tokenOf(await signIn('steam', who)), tokenOf(await signIn('steam', who))];
  const probe = (i: number) =>
    setUp(tokens[i % 2]!, { username: aName(), email: taken.email }, { 'x-forwarded-for': `8.8.${i}.8` });
  const codes: string[] = [];
  for (let i = 0; i < 11; i++) codes.push(codeOf(await probe(i)));
  expect(codes).toEqual([...Array(10).fill('409 AUTH_USER_EXISTS'), '429 RATE_LIMITED']);
  expect(Number((await probe(11)).headers.get('retry-after'))).toBeGreaterThan(3000);
});

test.each([
  ['username', ['ab', 'x'.repeat(21), 'me', 'a b', 'аdmin', null, 7]],
  ['email', ['a', 'a@b', `${'a'.repeat(250)}@b.example`, null]],
  ['language', ['english', '', null]],
  ['affiliateCode', ['', 'x'.repeat(65)]],
  ['referrer', ['x'.repeat(501)]],
  ['isStaff', [true]],
  ['password', ['a password']],
])('validates %s as strictly as sign-up does', async (field, values) => {
  for (const value of values) {
    const { status, body } = await setUp('token', { username: aName(), email: anEmail(), [field]: value });
    const paths = body.details?.fields.map((f: { path: string }) => f.path);
    expect([status, body.code, new Set(paths)], String(value)).toEqual([
      400,
      'VALIDATION_FAILED',
      new Set([field]),
    ]);
  }
});
