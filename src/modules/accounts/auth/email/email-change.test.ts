import { describe, expect, test } from 'vitest';
import { type Account, codeOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { addPasskey, authenticatorFor, done, provenBy } from '../../../../../test/kit/accounts/passkeys.ts';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { turnOnMfa, wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import type { Answer, Player } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { purgeJobs } from '../purge.ts';

const SITE = 'https://site.example';
const on = fixture(() => startAccounts({ SITE_URL: SITE, SITE_ORIGINS: SITE }));

const CHANGE = '/user/email/change';
const OLD = /^Confirm the change/;
const NEW = /^Confirm your new email/;
const request = (user: Account, email: string, more: object = {}) =>
  on.as(user.token, 'POST', CHANGE, { body: { email, currentPassword: user.password, ...more } });
const stateOf = async (user: Account) => done(await on.as(user.token, 'GET', CHANGE)).change;
const confirm = (token: string, headers: Record<string, string> = {}, session?: string) =>
  on.app.call('POST', '/user/email/confirm', { body: { token }, headers, token: session });
const rowOf = ({ id }: { id: number }) =>
  on.app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const playerOf = ({ id, token }: Account): Player =>
  ({ id, call: (m: string, p: string, o = {}) => on.as(token, m, p, o) }) as Player;
const subjectsTo = async (email: string) => (await on.mailsTo(email)).map(({ subject }) => subject);
/** Resets all limits, as if an hour had passed. */
const forgetTries = () => on.app.db.deleteFrom('attempts').where('key', 'like', 'email-change%').execute();

/** Creates a user with a verified address. */
async function verified(): Promise<Account> {
  const user = await on.registered();
  const token = await on.tokenIn(user.email, /^Confirm your email/);
  const answer = await on.app.call('GET', `/user/verify-email?token=${token}`, {
    headers: { cookie: user.device },
  });
  expect(answer.body).toEqual({ result: true });
  return user;
}
const anAddress = () => newcomer().email;

describe('changing a verified email', () => {
  test.each([
    ['the current one first', ['OLD', 'NEW']],
    ['the new one first', ['NEW', 'OLD']],
  ] as const)('requires confirmation of both addresses, %s', async (_, order) => {
    const user = await verified();
    const email = anAddress();
    const other = (await on.signIn(user)).body.accessToken.token;
    const asked = await request(user, email);
    expect(codeOf(asked)).toBe('201');
    expect(asked.body).toEqual({
      email: `${email.slice(0, 2)}***@mail.example`,
      waitsFor: ['OLD', 'NEW'],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(asked.body.expiresAt) - Date.parse(asked.body.createdAt)).toBe(24 * 3_600_000);
    expect(await stateOf(user)).toEqual(asked.body);
    const tokens = { OLD: await on.tokenIn(user.email, OLD), NEW: await on.tokenIn(email, NEW) };
    expect((await confirm(tokens[order[0]])).body).toEqual({ result: true, isChanged: false });
    expect((await confirm(tokens[order[0]])).body).toEqual({ result: true, isChanged: false });
    expect((await stateOf(user)).waitsFor).toEqual([order[1]]);
    expect((await rowOf(user)).email).toBe(user.email);
    expect((await confirm(tokens[order[1]])).body).toEqual({ result: true, isChanged: true });

    expect(await rowOf(user)).toMatchObject({
      email,
      email_verified: true,
      has_unproven_credentials: false,
    });
    expect(await stateOf(user)).toBeNull();
    // Repeated requests with the same links return the same response and change nothing.
    for (const token of Object.values(tokens))
      expect((await confirm(token)).body).toEqual({ result: true, isChanged: true });
    // All sessions on other devices have ended.
    await expect.poll(async () => (await on.as(other, 'GET', '/user/me')).status).toBe(401);
    expect((await on.as(user.token, 'GET', '/user/me')).body.email).toBe(
      `${email.slice(0, 2)}***@mail.example`,
    );
    for (const address of [user.email, email])
      expect((await subjectsTo(address)).filter((s) => /^Your email address at/.test(s))).toHaveLength(1);
    const told = done(await on.as(user.token, 'GET', '/notifications')).map((one: any) => one.payload?.code);
    expect(told).toEqual(
      expect.arrayContaining(['security.email-change-requested', 'security.email-changed']),
    );
    // The user can sign in with the new address, but no longer with the old one.
    expect(codeOf(await on.signIn({ email, password: user.password }))).toBe('201');
    expect(codeOf(await on.signIn(user))).toBe('401 AUTH_INVALID_CREDENTIALS');
    await forgetTries();
  });

  test('keeps the email when only one address was confirmed before the change expired', async () => {
    for (const side of ['OLD', 'NEW'] as const) {
      const user = await verified();
      const email = anAddress();
      done(await request(user, email));
      const tokens = { OLD: await on.tokenIn(user.email, OLD), NEW: await on.tokenIn(email, NEW) };
      expect((await confirm(tokens[side])).body).toEqual({ result: true, isChanged: false });
      await on.app.sql`update email_changes set expires_at = now() where user_id = ${user.id}`.execute(
        on.app.db,
      );
      for (const token of Object.values(tokens))
        expect((await confirm(token)).body).toEqual({ result: false, isChanged: false });
      expect(await stateOf(user)).toBeNull();
      expect((await rowOf(user)).email).toBe(user.email);
      expect(codeOf(await on.as(user.token, 'DELETE', CHANGE))).toMatch(/^(200|404 EMAIL_CHANGE_NOT_FOUND)$/);
    }
  });

  test('deletes expired email changes', async () => {
    const user = await verified();
    done(await request(user, anAddress()));
    const purge = purgeJobs(on.app.db, on.app.config).find(({ name }) => name === 'sign-in.purge')!;
    const left = () =>
      on.app.db.selectFrom('email_changes').select('id').where('user_id', '=', user.id).execute();
    await purge.run();
    expect(await left()).toHaveLength(1);
    await on.app
      .sql`update email_changes set expires_at = now() - interval '1 second' where user_id = ${user.id}`.execute(
      on.app.db,
    );
    await purge.run();
    expect(await left()).toEqual([]);
  });

  test('applies the change once when both links are confirmed 50 times concurrently', async () => {
    const user = await verified();
    const email = anAddress();
    done(await request(user, email));
    const tokens = [await on.tokenIn(user.email, OLD), await on.tokenIn(email, NEW)];
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => confirm(tokens[i % 2]!)));
    for (const { body } of answers) expect(body.result).toBe(true);
    expect((await rowOf(user)).email).toBe(email);
    for (const address of [user.email, email])
      expect((await subjectsTo(address)).filter((s) => /^Your email address at/.test(s))).toHaveLength(1);
  });

  test('sends the emails in the language of the user', async () => {
    for (const [language, old, fresh, changed] of [
      ['de', /^Erlauben Sie die Änderung/, /^Bestätigen Sie Ihre neue/, /^Ihre E-Mail-Adresse bei/],
      ['es', /^Permita el cambio/, /^Confirme su nueva dirección/, /^Se cambió su dirección/],
    ] as const) {
      const user = await verified();
      const email = anAddress();
      await on.as(user.token, 'PATCH', '/user/me', { body: { language } });
      done(await request(user, email));
      const tokens = [await on.tokenIn(user.email, old), await on.tokenIn(email, fresh)];
      for (const token of tokens) await confirm(token);
      for (const address of [user.email, email])
        expect(await subjectsTo(address)).toContainEqual(expect.stringMatching(changed));
    }
  });

  test('invalidates links that were sent before the email changed', async () => {
    const user = await verified();
    const email = anAddress();
    await on.app.call('POST', '/user/forgot-password', { body: { email: user.email } });
    const resetToken = await on.tokenIn(user.email, /^Reset/);
    done(await request(user, email));
    for (const token of [await on.tokenIn(user.email, OLD), await on.tokenIn(email, NEW)])
      await confirm(token);
    const reset = await on.app.call('PATCH', '/user/confirm-password-reset', {
      body: { token: resetToken, newPassword: 'a password of a thief' },
    });
    expect(reset.body).toEqual({ result: false });
  });

  test('shows the current owner the masked new email, and cancels the change when the password changes', async () => {
    const user = await verified();
    const email = anAddress();
    done(await request(user, email));
    const mail = (await on.mailsTo(user.email)).find(({ subject }) => OLD.test(subject))!;
    expect(mail.text).toContain(`${email.slice(0, 2)}***@mail.example`);
    expect(mail.text).not.toContain(email);
    expect(mail.text).toContain(`${SITE}/confirm-email#token=`);
    const tokens = [await on.tokenIn(user.email, OLD), await on.tokenIn(email, NEW)];
    const change = await on.as(user.token, 'PATCH', '/user/change-password', {
      body: { currentPassword: user.password, newPassword: 'a new one of the owner' },
    });
    expect(codeOf(change)).toBe('200');
    for (const token of tokens)
      expect((await confirm(token)).body).toEqual({ result: false, isChanged: false });
    expect(await stateOf(user)).toBeNull();
  });
});

describe('changing an unverified email', () => {
  test('requires only the new address to confirm, and sends nothing to the old one', async () => {
    const user = await on.registered();
    const email = anAddress();
    const before = await subjectsTo(user.email);
    expect((await request(user, email)).body.waitsFor).toEqual(['NEW']);
    const token = await on.tokenIn(email, NEW);
    const stale = await on.tokenIn(user.email, /^Confirm your email/);
    expect((await confirm(token)).body).toEqual({ result: true, isChanged: true });
    expect(await rowOf(user)).toMatchObject({ email, email_verified: true, has_unproven_credentials: false });
    expect(await subjectsTo(user.email)).toEqual(before);
    // The link that was created at sign-up was sent to the old address.
    expect((await on.app.call('GET', `/user/verify-email?token=${stale}`)).body).toEqual({ result: false });
    expect(await rowOf(user)).toMatchObject({ email, email_verified: true });
    // The task that checks for a welcome promotion is queued, as after any verification of an address.
    const jobs = await on.app.sql<{ n: number }>`select count(*)::int as n from graphile_worker.jobs
      where task_identifier like '%welcome%'`.execute(on.app.db);
    expect(jobs.rows[0]!.n).toBeGreaterThan(0);
  });
});

describe('requesting a change', () => {
  test('requires the current password, and counts wrong passwords', async () => {
    const user = await verified();
    const email = anAddress();
    const wrong = () => request({ ...user, password: 'wrong' }, email);
    for (let i = 0; i < 3; i++) expect(codeOf(await wrong())).toBe('400 PASSWORD_INVALID');
    expect(codeOf(await wrong())).toBe('429 RATE_LIMITED');
    expect(codeOf(await request(user, email))).toBe('429 RATE_LIMITED');
    expect(await stateOf(user)).toBeNull();
  });

  test('requires a second factor, verified recently or in the request, by app or passkey', async () => {
    const user = await verified();
    const factor = await turnOnMfa(on.app, playerOf(user));
    const ask = async (more: object = {}) => codeOf(await request(user, anAddress(), more));
    const late = () =>
      on.app
        .sql`update sessions set mfa_at = now() - interval '301 seconds' where user_id = ${user.id}`.execute(
        on.app.db,
      );
    expect(await ask()).toBe('201');
    await late();
    await forgetTries();
    expect(await ask()).toBe('403 MFA_REQUIRED');
    expect(await ask({ mfaCode: wrongCode(factor.secret) })).toBe('400 MFA_INVALID');
    expect(await ask({ mfaCode: await factor.code() })).toBe('201');
    const authenticator = authenticatorFor(on.app);
    await addPasskey(playerOf(user), authenticator);
    const mfaCode = await provenBy(playerOf(user), authenticator);
    await late();
    await forgetTries();
    expect(await ask({ mfaCode })).toBe('201');
  });

  test('requires a recent sign-in from users without a password', async () => {
    const user = await on.registered();
    await on.app.db.updateTable('users').set({ password_hash: null }).where('id', '=', user.id).execute();
    const email = anAddress();
    const open = { ...user, password: '' };
    await on.app
      .sql`update sessions set created_at = now() - interval '301 seconds' where user_id = ${user.id}`.execute(
      on.app.db,
    );
    expect(codeOf(await request(open, email))).toBe('403 SIGN_IN_AGAIN');
    await on.app.sql`update sessions set created_at = now() where user_id = ${user.id}`.execute(on.app.db);
    expect(codeOf(await request(open, email))).toBe('201');
  });

  test('rejects users with a temporary password', async () => {
    const user = await on.registered();
    await on.app.db
      .updateTable('users')
      .set({ password_is_temporary: true })
      .where('id', '=', user.id)
      .execute();
    expect(codeOf(await request(user, anAddress()))).toBe('400 PASSWORD_TEMPORARY');
  });

  test('rejects the current email, invalid emails and requests without a session', async () => {
    const user = await verified();
    expect(codeOf(await request(user, user.email.toUpperCase()))).toBe('400 EMAIL_UNCHANGED');
    for (const email of ['', 'nobody', 'a@b', `${'x'.repeat(250)}@mail.example`, 7, null])
      expect(codeOf(await request(user, email as string))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await on.app.call('POST', CHANGE, { body: {} }))).toBe('401 UNAUTHORIZED');
  });

  test('allows three requests an hour', async () => {
    const user = await verified();
    for (let i = 0; i < 3; i++) expect(codeOf(await request(user, anAddress()))).toBe('201');
    expect(codeOf(await request(user, anAddress()))).toBe('429 RATE_LIMITED');
  });

  test('sends at most three emails an hour to one address across accounts, but always returns the same response', async () => {
    const email = anAddress();
    for (let i = 0; i < 5; i++) expect(codeOf(await request(await on.registered(), email))).toBe('201');
    expect((await subjectsTo(email)).filter((s) => NEW.test(s))).toHaveLength(3);
  });
});

describe('emails of other accounts', () => {
  test('returns the same response for a taken email, and notifies its owner without sending a link', async () => {
    const [user, owner] = [await verified(), await verified()];
    const email = anAddress();
    const [free, taken] = [await request(user, email), await request(await verified(), owner.email)];
    const shapeOf = ({ status, body }: Answer) => [
      status,
      new Set(Object.keys(body as object)),
      body.waitsFor,
    ];
    expect(shapeOf(taken)).toEqual(shapeOf(free));
    expect(await subjectsTo(email)).toContainEqual(expect.stringMatching(NEW));
    const told = await subjectsTo(owner.email);
    expect(told).toContainEqual(expect.stringMatching(/^You already have an account/));
    expect(told.filter((s) => NEW.test(s))).toEqual([]);
  });

  test('rejects the confirmation with 409 and ends the change when another account has taken the email in the meantime', async () => {
    const user = await verified();
    const email = anAddress();
    done(await request(user, email));
    const tokens = [await on.tokenIn(user.email, OLD), await on.tokenIn(email, NEW)];
    expect(codeOf(await on.signUp({ ...newcomer(), email: email.toUpperCase() }))).toBe('200');
    expect((await confirm(tokens[0]!)).body).toEqual({ result: true, isChanged: false });
    expect(codeOf(await confirm(tokens[1]!))).toBe('409 AUTH_USER_EXISTS');
    expect((await rowOf(user)).email).toBe(user.email);
    expect((await confirm(tokens[1]!)).body).toEqual({ result: false, isChanged: false });
    expect(await stateOf(user)).toBeNull();
  });

  test('gives the email to only one of two accounts that confirm it concurrently', async () => {
    const users = [await on.registered(), await on.registered()];
    const email = anAddress();
    const tokens: string[] = [];
    for (const user of users) {
      done(await request(user, email));
      const mails = await on.mailsTo(email);
      tokens.push(/#token=([\w-]+)/.exec(mails.find(({ subject }) => NEW.test(subject))!.text)![1]!);
    }
    const answers = await Promise.all(tokens.map((token) => confirm(token)));
    expect(answers.map(codeOf).sort()).toEqual(
      ['200', '409 AUTH_USER_EXISTS'].map((c) => (c === '200' ? '201' : c)),
    );
    const owners = await on.app.db.selectFrom('users').select('id').where('email', '=', email).execute();
    expect(owners).toHaveLength(1);
  });
});

describe('cancellation and replacement of a change', () => {
  test('invalidates both links, and returns 404 when there is nothing to cancel', async () => {
    const user = await verified();
    const email = anAddress();
    expect(codeOf(await on.as(user.token, 'DELETE', CHANGE))).toBe('404 EMAIL_CHANGE_NOT_FOUND');
    done(await request(user, email));
    const tokens = [await on.tokenIn(user.email, OLD), await on.tokenIn(email, NEW)];
    expect((await on.as(user.token, 'DELETE', CHANGE)).body).toEqual({ success: true });
    for (const token of tokens)
      expect((await confirm(token)).body).toEqual({ result: false, isChanged: false });
    expect(codeOf(await on.as(user.token, 'DELETE', CHANGE))).toBe('404 EMAIL_CHANGE_NOT_FOUND');
    expect((await rowOf(user)).email).toBe(user.email);
  });

  test('lets a new request replace the previous change', async () => {
    const user = await verified();
    const [first, second] = [anAddress(), anAddress()];
    done(await request(user, first));
    const stale = [await on.tokenIn(user.email, OLD), await on.tokenIn(first, NEW)];
    done(await request(user, second));
    const fresh = [await on.tokenIn(user.email, OLD), await on.tokenIn(second, NEW)];
    for (const token of stale) expect((await confirm(token)).body.result).toBe(false);
    for (const token of fresh) expect((await confirm(token)).body.result).toBe(true);
    expect((await rowOf(user)).email).toBe(second);
  });

  test('stores one change when several requests are concurrent, and rejects none of them', async () => {
    const user = await verified();
    const asked = await Promise.all(
      [anAddress(), anAddress(), anAddress()].map((email) => request(user, email)),
    );
    expect(asked.map(codeOf)).toEqual(['201', '201', '201']);
    const left = await on.app.db
      .selectFrom('email_changes')
      .select('id')
      .where('user_id', '=', user.id)
      .execute();
    expect(left).toHaveLength(1);
  });

  test('rejects cancelling a completed change with 404', async () => {
    const user = await on.registered();
    const email = anAddress();
    done(await request(user, email));
    await confirm(await on.tokenIn(email, NEW));
    expect(codeOf(await on.as(user.token, 'DELETE', CHANGE))).toBe('404 EMAIL_CHANGE_NOT_FOUND');
    expect((await rowOf(user)).email).toBe(email);
  });

  test('does not change the email of a banned user', async () => {
    const user = await on.registered();
    const email = anAddress();
    done(await request(user, email));
    const token = await on.tokenIn(email, NEW);
    await on.app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', user.id).execute();
    expect((await confirm(token)).body).toEqual({ result: false, isChanged: false });
    expect((await rowOf(user)).email).toBe(user.email);
  });
});

describe('an account with a second factor, identities or keys', () => {
  test("accepts the confirmation only from the owner's browser when the account has a second factor", async () => {
    const user = await on.registered();
    const email = anAddress();
    await turnOnMfa(on.app, playerOf(user));
    done(await request(user, email));
    const token = await on.tokenIn(email, NEW);
    expect(codeOf(await confirm(token))).toBe('403 CONFIRM_SIGNED_IN');
    const stranger = await on.registered();
    expect(codeOf(await confirm(token, {}, stranger.token))).toBe('403 CONFIRM_SIGNED_IN');
    expect((await rowOf(user)).email).toBe(user.email);
    expect((await confirm(token, { cookie: user.device })).body).toEqual({ result: true, isChanged: true });
    expect(await rowOf(user)).toMatchObject({ email, has_unproven_credentials: false });
  });

  test("accepts the owner's session as a bearer token or as a cookie", async () => {
    for (const as of ['bearer', 'cookie']) {
      const user = await verified();
      const email = anAddress();
      await addPasskey(playerOf(user), authenticatorFor(on.app));
      done(await request(user, email));
      const [old, fresh] = [await on.tokenIn(user.email, OLD), await on.tokenIn(email, NEW)];
      // A click on the link sent to the current address is sufficient proof for that address, even without a session.
      expect((await confirm(old)).body).toEqual({ result: true, isChanged: false });
      const answer =
        as === 'bearer'
          ? await confirm(fresh, {}, user.token)
          : await confirm(fresh, { cookie: `__Host-access_token=${user.token}`, origin: SITE });
      expect(answer.body).toEqual({ result: true, isChanged: true });
    }
  });

  test('removes, on the first password reset, a passkey added after another browser had confirmed the new address', async () => {
    const user = await verified();
    const email = anAddress();
    done(await request(user, email));
    const [old, fresh] = [await on.tokenIn(user.email, OLD), await on.tokenIn(email, NEW)];
    expect((await confirm(fresh)).body).toEqual({ result: true, isChanged: false });
    await addPasskey(playerOf(user), authenticatorFor(on.app));
    expect((await confirm(old)).body).toEqual({ result: true, isChanged: true });
    expect(await rowOf(user)).toMatchObject({ email, has_unproven_credentials: true });
    await on.app.call('POST', '/user/forgot-password', { body: { email } });
    const token = await on.tokenIn(email, /^Reset/);
    await on.app.call('PATCH', '/user/confirm-password-reset', {
      body: { token, newPassword: 'a password of the owner' },
    });
    expect(await rowOf(user)).toMatchObject({ is_mfa_enabled: false, has_unproven_credentials: false });
  });
});

test('returns false for unknown tokens and tokens for another purpose, and rejects malformed ones', async () => {
  const user = await on.registered();
  const verify = await on.tokenIn(user.email, /^Confirm your email/);
  for (const token of ['x', 'A'.repeat(43), verify])
    expect((await confirm(token)).body).toEqual({ result: false, isChanged: false });
  for (const token of ['', 'x'.repeat(129)])
    expect(codeOf(await confirm(token))).toBe('400 VALIDATION_FAILED');
});
