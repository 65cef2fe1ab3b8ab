import { beforeAll, describe, expect, test } from 'vitest';
import { deviceOf } from '../../../../../test/kit/accounts/accounts.ts';
import type { Authenticator, Lies } from '../../../../../test/kit/accounts/authenticator.ts';
import {
  addPasskey,
  authenticatorFor,
  done,
  listed,
  passkeyDoor,
  register,
  registrationOptions,
} from '../../../../../test/kit/accounts/passkeys.ts';
import {
  halfSignedIn,
  outcome,
  startFactorWorld,
  verify,
} from '../../../../../test/kit/accounts/second-factor.ts';
import { newcomer, signed } from '../../../../../test/kit/accounts/sign-in.ts';
import { type Answer, type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

let app: TestApp;
let door: ReturnType<typeof passkeyDoor>;
const world = fixture(startFactorWorld);
beforeAll(async () => {
  app = world.app;
  door = passkeyDoor(app, world.outside.solve);
});

type Account = ReturnType<typeof newcomer> & { id: number; call: Player['call']; device: string };

/** Signs up a new user with a password, as a browser would. */
async function signedUp(): Promise<Account> {
  const user = newcomer();
  const headers = { 'x-captcha-token': await world.outside.solve() };
  const {
    access: token,
    userId: id,
    answer,
  } = signed(await app.call('POST', '/auth/sign-up', { body: user, headers }));
  return {
    ...user,
    id,
    device: deviceOf(answer),
    call: ((method, path, o = {}) => app.call(method, path, { token, ...o })) as Player['call'],
  };
}
async function withPasskey(counts = false): Promise<{ user: Account; authenticator: Authenticator }> {
  const user = await signedUp();
  const authenticator = authenticatorFor(app, { counts });
  await addPasskey(user, authenticator, 'Phone');
  return { user, authenticator };
}
const sessionsOf = async ({ id }: { id: number }) =>
  (await app.db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()).length;
const passwordOf = async ({ email, password }: Account) =>
  app.call('POST', '/auth/sign-in', {
    body: { email, password },
    headers: { 'x-captcha-token': await world.outside.solve() },
  });
/** Resets all limits, as if half an hour had passed. */
const forgetTries = () => app.db.deleteFrom('attempts').where('key', 'like', 'passkey-sign-in:%').execute();
const ban = (id: number) =>
  app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', id).execute();

describe('sign-in with only a passkey', () => {
  test('returns options that name no user or passkey', async () => {
    const { attempt, options } = await door.signInOptions();
    expect(attempt).toMatch(/^[\w-]{43}$/);
    expect(options).toEqual({
      rpId: 'localhost',
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 300_000,
      allowCredentials: [],
      userVerification: 'required',
    });
    const named = await app.call('POST', '/user/passkeys/sign-in/options', {
      body: { email: 'a@b.example' },
    });
    expect(named.body.options ?? named.body.code).toBeDefined();
    expect(JSON.stringify(named.body)).not.toContain('a@b.example');
  });

  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    '%s: opens a session with both factors verified, sets its cookies and remembers the device',
    async (algorithm) => {
      const user = await signedUp();
      const authenticator = authenticatorFor(app, { algorithm, counts: true });
      await addPasskey(user, authenticator);
      const answer = await door.signIn(authenticator);
      expect(answer.status, answer.text).toBe(201);
      const { access, userId } = signed(answer);
      expect(userId).toBe(user.id);
      const names = answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0]);
      expect(names).toEqual(
        expect.arrayContaining(['__Host-access_token', '__Host-refresh_token', '__Host-device']),
      );
      const call: Player['call'] = (method, path, o = {}) => app.call(method, path, { token: access, ...o });
      expect((await call('GET', '/user/me')).body).toMatchObject({ id: user.id, mfaEnabled: true });
      const session = await app.db
        .selectFrom('sessions')
        .select(['provider', 'mfa_method'])
        .where('user_id', '=', user.id)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow();
      expect(session).toEqual({ provider: 'passkey', mfa_method: 'PASSKEY' });
      // The session was just opened and has proven the factor, so another passkey may be added.
      expect(outcome(await registrationOptions({ call }))).toBe('201');
      expect((await listed({ call })).passkeys[0].lastUsedAt).toEqual(expect.any(String));
      expect(authenticator.credentials[0]!.count).toBe(2);
      const [row] = await app.db
        .selectFrom('passkeys')
        .select('sign_count')
        .where('user_id', '=', user.id)
        .execute();
      expect(row!.sign_count).toBe(2n);
      expect(outcome(await door.signIn(authenticator))).toBe('201');
    },
  );

  test('emails the user about a new device but not about a known one, and ends the previous session', async () => {
    const { user, authenticator } = await withPasskey();
    const answer = await door.signIn(authenticator);
    const told = await world.outside.waitForMail(user.email, /New sign-in/);
    expect(told.text).toContain('a device that we have not seen');
    const again = await door.signIn(authenticator, {
      cookie: `${deviceOf(answer)}; __Host-access_token=${answer.body.accessToken.token}`,
    });
    expect(again.status).toBe(201);
    expect(await world.statusOf(again.body.accessToken.token, app)).toBe(200);
    await expect.poll(() => world.statusOf(answer.body.accessToken.token, app)).toBe(401);
    const mails = await world.outside.inbox(user.email);
    expect(mails.filter(({ subject }) => /New sign-in/.test(subject))).toHaveLength(1);
  });

  test('requires a valid captcha token', async () => {
    const { authenticator } = await withPasskey();
    const { attempt, options } = await door.signInOptions();
    const body = { attempt, response: authenticator.get(options) };
    const post = (headers: Record<string, string>) =>
      app.call('POST', '/user/passkeys/sign-in', { body, headers });
    expect(outcome(await post({}))).toBe('400 AUTH_RECAPTCHA_TOKEN_MISSING');
    expect(outcome(await post({ 'x-captcha-token': 'none' }))).toBe('400 AUTH_INVALID_CAPTCHA');
    expect(outcome(await door.finish(body))).toBe('201');
  });

  test.each<[string, Lies]>([
    ['from another origin', { origin: 'https://evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['without user verification', { isVerified: false }],
    ['without user presence', { isPresent: false }],
    ['with a registration instead of an assertion', { type: 'webauthn.create' }],
    ['with an unknown id', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['without a user handle', { userHandle: null }],
    ['with the user handle of another user', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
  ])('rejects a passkey %s with the same response, and consumes the challenge', async (_, lies) => {
    const { user, authenticator } = await withPasskey();
    const before = await sessionsOf(user);
    const { attempt, options } = await door.signInOptions();
    const answer = await door.finish({ attempt, response: authenticator.get(options, lies) });
    expect(outcome(answer)).toBe('401 PASSKEY_REFUSED');
    expect(answer.body).not.toHaveProperty('details');
    expect(answer.headers.getSetCookie()).toEqual([]);
    const good = { attempt, response: authenticator.get(options) };
    expect(outcome(await door.finish(good))).toBe('400 PASSKEY_CHALLENGE_INVALID');
    expect(await sessionsOf(user)).toBe(before);
    await forgetTries();
  });

  test('rejects altered responses and signatures made with another key', async () => {
    const [one, two] = [await withPasskey(), await withPasskey()];
    const forged = async (spoil: (response: any) => void) => {
      const { attempt, options } = await door.signInOptions();
      const response = one.authenticator.get(options);
      spoil(response);
      return outcome(await door.finish({ attempt, response }));
    };
    const other = two.authenticator.credentials[0]!;
    expect(
      await forged((r) => {
        r.id = other.id;
        r.rawId = other.id;
        r.response.userHandle = other.userHandle;
      }),
    ).toBe('401 PASSKEY_REFUSED');
    expect(
      await forged((r) => {
        const data = Buffer.from(r.response.authenticatorData, 'base64url');
        data[36]! ^= 1;
        r.response.authenticatorData = data.toString('base64url');
      }),
    ).toBe('401 PASSKEY_REFUSED');
    expect(
      await forged((r) => {
        r.response.signature = 'AAAA';
      }),
    ).toBe('401 PASSKEY_REFUSED');
    expect(
      await forged((r) => {
        r.rawId = 'AAAA';
      }),
    ).toBe('401 PASSKEY_REFUSED');
    await forgetTries();
  });

  test('rejects a response from a frame on another site with 400', async () => {
    const { authenticator } = await withPasskey();
    const { attempt, options } = await door.signInOptions();
    const answer = await door.finish({ attempt, response: authenticator.get(options, { isFramed: true }) });
    expect(outcome(answer)).toBe('400 PASSKEY_INVALID');
  });

  test('accepts a challenge only once, for its own attempt and purpose and until it expires', async () => {
    const { user, authenticator } = await withPasskey();
    const [mine, theirs] = [await door.signInOptions(), await door.signInOptions()];
    const finish = (attempt: string, options: any) =>
      door.finish({ attempt, response: authenticator.get(options) });
    expect(outcome(await finish(theirs.attempt, mine.options))).toBe('400 PASSKEY_CHALLENGE_INVALID');
    expect(outcome(await finish(mine.attempt, mine.options))).toBe('201');
    expect(outcome(await finish(mine.attempt, mine.options))).toBe('400 PASSKEY_CHALLENGE_INVALID');
    await app.sql`update one_time_tokens set expires_at = now() where purpose = 'PASSKEY_SIGN_IN'`.execute(
      app.db,
    );
    expect(outcome(await finish(theirs.attempt, theirs.options))).toBe('400 PASSKEY_CHALLENGE_INVALID');
    // Also tries a challenge for the second factor, with the token of an unfinished sign-in.
    const token = await halfSignedIn(app, user.id);
    const options = done(await door.secondFactorOptions({ token }));
    expect(outcome(await finish(token, options))).toBe('400 PASSKEY_CHALLENGE_INVALID');
    await forgetTries();
  });

  test('opens only one session when 20 concurrent calls in two processes use the same challenge', async () => {
    const { user, authenticator } = await withPasskey();
    const elsewhere = passkeyDoor(world.two, world.outside.solve);
    const { attempt, options } = await door.signInOptions();
    const before = await sessionsOf(user);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? door : elsewhere).finish({ attempt, response: authenticator.get(options) }),
      ),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((one) => one === '201')).toHaveLength(1);
    for (const other of outcomes.filter((one) => one !== '201'))
      expect(other).toMatch(/^(400 PASSKEY_CHALLENGE_INVALID|429 RATE_LIMITED)$/);
    expect(await sessionsOf(user)).toBe(before + 1);
    await forgetTries();
  });

  test('limits failed attempts per network, but not successful sign-ins from a known device', async () => {
    const { user, authenticator } = await withPasskey();
    const { options } = await door.signInOptions();
    const nonsense = { attempt: 'x', response: authenticator.get(options) };
    const outcomes = (await Promise.all(Array.from({ length: 25 }, () => door.finish(nonsense)))).map(
      outcome,
    );
    expect(outcomes.filter((one) => one === '400 PASSKEY_CHALLENGE_INVALID')).toHaveLength(20);
    expect(outcomes.filter((one) => one === '429 RATE_LIMITED')).toHaveLength(5);
    expect(outcome(await door.signIn(authenticator))).toBe('429 RATE_LIMITED');
    // Successful sign-ins do not count towards the limit, so there can be more of them than the limit allows.
    for (let i = 0; i < 22; i++)
      expect(outcome(await door.signIn(authenticator, { cookie: user.device }))).toBe('201');
    await forgetTries();
  });

  test('reports a ban only to a user whose passkey was verified', async () => {
    const { user, authenticator } = await withPasskey();
    await ban(user.id);
    expect(outcome(await door.signIn(authenticator))).toBe('403 USER_BANNED');
    await forgetTries();
  });

  test('rejects a passkey that was removed in the meantime', async () => {
    const { user, authenticator } = await withPasskey();
    const { attempt, options } = await door.signInOptions();
    const { passkeys } = await listed(user);
    done(await user.call('DELETE', `/user/passkeys/${passkeys[0].id}`));
    const answer = await door.finish({ attempt, response: authenticator.get(options) });
    expect(outcome(answer)).toBe('401 PASSKEY_REFUSED');
    await forgetTries();
  });

  test('signs in staff with an unverified email, but grants them no permissions', async () => {
    const clerk = await app.as({ permissions: ['user.read'] });
    const authenticator = authenticatorFor(app);
    await addPasskey(clerk, authenticator);
    const list = async () => {
      const { access: token } = signed(await door.signIn(authenticator));
      return outcome(await app.call('POST', '/admin/user/all', { token, body: {} }));
    };
    expect(await list()).not.toContain('403');
    await app.db.updateTable('users').set({ email_verified: false }).where('id', '=', clerk.id).execute();
    expect(await list()).toBe('403 STAFF_NOT_ACTIVATED');
  });

  test('satisfies the requirement that staff use a second factor', async () => {
    const env = { ...world.outside.env, STAFF_MFA_REQUIRED: 'true' };
    const strict = await startApp({ database: app.database, env });
    const clerk = await strict.as({ permissions: ['user.read'] });
    const look = async (token: string) =>
      outcome(await strict.call('POST', '/admin/user/all', { token, body: {} }));
    expect(await look(clerk.token)).toBe('403 MFA_REQUIRED');
    const authenticator = authenticatorFor(strict);
    await addPasskey(clerk, authenticator);
    await expect.poll(() => look(clerk.token)).not.toContain('403');
    const { access } = signed(await passkeyDoor(strict, world.outside.solve).signIn(authenticator));
    expect(await look(access)).not.toContain('403');
    await strict.stop();
  });
});

describe('copied passkeys', () => {
  const incidentsOf = (id: number) =>
    app.db
      .selectFrom('admin_audit')
      .select(['method', 'path', 'status_code', 'before', 'after'])
      .where('user_id', '=', id)
      .execute();

  test('rejects a passkey whose counter does not increase, audits it, and notifies the owner in their language', async () => {
    const { user, authenticator } = await withPasskey(true);
    await app.db.updateTable('users').set({ language: 'de' }).where('id', '=', user.id).execute();
    done(await door.signIn(authenticator));
    expect(authenticator.credentials[0]!.count).toBe(2);
    const before = await sessionsOf(user);
    for (const count of [2, 1, 0]) {
      const { attempt, options } = await door.signInOptions();
      const answer = await door.finish({ attempt, response: authenticator.get(options, { count }) });
      expect(outcome(answer)).toBe('401 PASSKEY_REFUSED');
    }
    expect(await sessionsOf(user)).toBe(before);
    const rows = await incidentsOf(user.id);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({
      method: 'INCIDENT',
      path: 'passkey copied',
      status_code: 403,
      before: { signCount: 2 },
      after: { signCount: 2 },
    });
    const mail = await world.outside.waitForMail(user.email, /Ein Passkey wurde vielleicht kopiert/);
    expect(mail.text).toContain('Phone');
    const told = done(await user.call('GET', '/notifications'));
    expect(told.filter((one: any) => one.payload?.code === 'security.passkey-copied')).toHaveLength(3);
    // The owner's passkey works again once its counter is above the stored one.
    authenticator.credentials[0]!.count = 5;
    expect(outcome(await door.signIn(authenticator))).toBe('201');
    await forgetTries();
  });

  test('accepts a passkey whose counter does not increase only if the passkey was registered as synced', async () => {
    const synced = await signedUp();
    const authenticator = authenticatorFor(app);
    const options = done(await registrationOptions(synced));
    done(await register(synced, authenticator.create(options, { isSynced: true, count: 1 })));
    const using = async (one: Authenticator, lies: Lies) => {
      const { attempt, options: asked } = await door.signInOptions();
      return outcome(await door.finish({ attempt, response: one.get(asked, lies) }));
    };
    for (const count of [0, 0, 7, 3])
      expect(await using(authenticator, { isSynced: true, count })).toBe('201');
    expect(await incidentsOf(synced.id)).toEqual([]);
    const single = await withPasskey(true);
    expect(await using(single.authenticator, { count: 5 })).toBe('201');
    expect(await using(single.authenticator, { isSynced: true, count: 0 })).toBe('401 PASSKEY_REFUSED');
    expect(await incidentsOf(single.user.id)).toHaveLength(1);
    await forgetTries();
  });

  test('does not report a passkey as copied when the signature is invalid', async () => {
    const { user, authenticator } = await withPasskey(true);
    done(await door.signIn(authenticator));
    const { attempt, options } = await door.signInOptions();
    const response = authenticator.get(options, { count: 1 });
    response.response.signature = authenticatorFor(app).create({
      ...options,
      rp: { id: 'localhost' },
      user: { id: 'x' },
    }).id;
    expect(outcome(await door.finish({ attempt, response }))).toBe('401 PASSKEY_REFUSED');
    expect(await incidentsOf(user.id)).toEqual([]);
    await forgetTries();
  });

  test('accepts only one of six concurrent sign-ins with the same counter', async () => {
    const { user, authenticator } = await withPasskey(true);
    const before = await sessionsOf(user);
    const attempts = await Promise.all(Array.from({ length: 6 }, () => door.signInOptions()));
    const answers = await Promise.all(
      attempts.map(({ attempt, options }) =>
        door.finish({ attempt, response: authenticator.get(options, { count: 9 }) }),
      ),
    );
    expect(answers.map(outcome).sort()).toEqual(['201', ...Array(5).fill('401 PASSKEY_REFUSED')]);
    expect(await sessionsOf(user)).toBe(before + 1);
    expect(await incidentsOf(user.id)).toHaveLength(5);
    await forgetTries();
  });
});

describe('a passkey as the second factor', () => {
  const half = async (user: Account) => {
    const answer = await passwordOf(user);
    expect(answer.body).toMatchObject({ requireMfa: true, mfaMethods: ['PASSKEY', 'RECOVERY'] });
    return answer.body as { token: string; provider: string; state: string };
  };
  const complete = async (user: Account, authenticator: Authenticator, lies?: Lies): Promise<Answer> => {
    const { token, provider, state } = await half(user);
    const options = done(await door.secondFactorOptions({ token, provider, state }));
    return door.secondFactor({ token, provider, state, response: authenticator.get(options, lies) });
  };

  test('requires the passkey after the password, and completes the sign-in with the passkey instead of a code', async () => {
    const { user, authenticator } = await withPasskey();
    const { token } = await half(user);
    expect(outcome(await app.call('GET', '/user/me', { token }))).toBe('401 AUTH_MFA_REQUIRED');
    const options = done(await door.secondFactorOptions({ token }));
    expect(options).toEqual({
      rpId: 'localhost',
      challenge: expect.any(String),
      timeout: 300_000,
      allowCredentials: [
        {
          id: authenticator.credentials[0]!.id,
          type: 'public-key',
          transports: ['hybrid', 'internal'],
        },
      ],
      userVerification: 'required',
    });
    // The response needs no user handle, because the pending sign-in identifies the user.
    const response = authenticator.get(options, { userHandle: null });
    const answer = await door.secondFactor({ token, response });
    expect(answer.status, answer.text).toBe(201);
    expect(signed(answer).userId).toBe(user.id);
    expect(await world.liveSessionsOf(user as unknown as Player)).toContainEqual({
      mfa_method: 'PASSKEY',
      mfa_at: expect.any(Date),
    });
    // Neither the token nor its challenge can be used a second time.
    expect(outcome(await door.secondFactor({ token, response }))).toBe('401 UNAUTHORIZED');
    expect(outcome(await door.secondFactorOptions({ token }))).toBe('401 UNAUTHORIZED');
  });

  test('accepts recovery codes as well, but no app codes when no app is set up', async () => {
    const user = await signedUp();
    const { recoveryCodes } = await addPasskey(user, authenticatorFor(app));
    const { token } = await half(user);
    expect(outcome(await verify(app, { token, mfaCode: '123456' }))).toBe('400 MFA_INVALID');
    expect(outcome(await verify(app, { token, mfaCode: `pk_${'x'.repeat(43)}` }))).toBe('400 MFA_INVALID');
    expect(outcome(await verify(app, { token, mfaCode: recoveryCodes![0]! }))).toBe('200');
  });

  test.each<[string, Lies]>([
    ['from another origin', { origin: 'https://evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['without user verification', { isVerified: false }],
    ['with the user handle of another user', { userHandle: 'AAAA' }],
  ])('rejects a passkey %s without consuming the sign-in token', async (_, lies) => {
    const { user, authenticator } = await withPasskey();
    const { token } = await half(user);
    const again = async (more?: Lies) => {
      const options = done(await door.secondFactorOptions({ token }));
      return outcome(await door.secondFactor({ token, response: authenticator.get(options, more) }));
    };
    expect(await again(lies)).toBe('400 PASSKEY_INVALID');
    expect(await again()).toBe('201');
  });

  test('rejects the passkey of another user and the challenge of another sign-in', async () => {
    const [one, two] = [await withPasskey(), await withPasskey()];
    const { token } = await half(one.user);
    const options = done(await door.secondFactorOptions({ token }));
    expect(outcome(await door.secondFactor({ token, response: two.authenticator.get(options) }))).toBe(
      '400 PASSKEY_INVALID',
    );
    const other = done(await door.secondFactorOptions({ token: (await half(one.user)).token }));
    expect(outcome(await door.secondFactor({ token, response: one.authenticator.get(other) }))).toBe(
      '400 PASSKEY_CHALLENGE_INVALID',
    );
    const signIn = await door.signInOptions();
    const response = one.authenticator.get(signIn.options);
    expect(outcome(await door.secondFactor({ token, response }))).toBe('400 PASSKEY_CHALLENGE_INVALID');
  });

  test('rejects a token that is unknown or mismatched, or that belongs to a user without a passkey', async () => {
    const { user, authenticator } = await withPasskey();
    const { token } = await half(user);
    const options = done(await door.secondFactorOptions({ token }));
    const response = authenticator.get(options);
    for (const wrong of [{ token: 'mfa_none' }, { token, provider: 'google' }, { token, state: 'other' }]) {
      expect(outcome(await door.secondFactorOptions(wrong))).toBe('401 UNAUTHORIZED');
      expect(outcome(await door.secondFactor({ ...wrong, response }))).toBe('401 UNAUTHORIZED');
    }
    const nobody = await signedUp();
    const without = await halfSignedIn(app, nobody.id);
    expect(outcome(await door.secondFactorOptions({ token: without }))).toBe('409 NO_PASSKEY');
  });

  test('allows ten passkey attempts per sign-in token', async () => {
    const { user, authenticator } = await withPasskey();
    const { token } = await half(user);
    const options = done(await door.secondFactorOptions({ token }));
    const response = authenticator.get(options, { isVerified: false });
    const outcomes = (
      await Promise.all(Array.from({ length: 15 }, () => door.secondFactor({ token, response })))
    ).map(outcome);
    expect(outcomes.filter((one) => one === '429 RATE_LIMITED')).toHaveLength(5);
    expect(outcomes.filter((one) => one.startsWith('400 '))).toHaveLength(10);
    // Another sign-in of the same account can still be completed.
    expect(outcome(await complete(user, authenticator))).toBe('201');
  });

  test('rejects a banned user, and a sign-in that started before the password changed', async () => {
    const [one, two] = [await withPasskey(), await withPasskey()];
    const { token } = await half(one.user);
    const options = done(await door.secondFactorOptions({ token }));
    await ban(one.user.id);
    expect(outcome(await door.secondFactor({ token, response: one.authenticator.get(options) }))).toBe(
      '403 USER_BANNED',
    );
    const other = await half(two.user);
    const change = await two.user.call('PATCH', '/user/change-password', {
      body: { currentPassword: two.user.password, newPassword: 'another good password' },
    });
    expect(change.status, change.text).toBe(200);
    expect(outcome(await door.secondFactorOptions({ token: other.token }))).toBe('401 UNAUTHORIZED');
  });

  test('rejects a copied passkey without consuming the token', async () => {
    const { user, authenticator } = await withPasskey(true);
    done(await complete(user, authenticator));
    const { token } = await half(user);
    const again = async (lies?: Lies) => {
      const options = done(await door.secondFactorOptions({ token }));
      return outcome(await door.secondFactor({ token, response: authenticator.get(options, lies) }));
    };
    expect(await again({ count: 1 })).toBe('400 PASSKEY_INVALID');
    expect(await again()).toBe('201');
  });

  test("accepts any of a user's passkeys", async () => {
    const { user, authenticator } = await withPasskey();
    const second = authenticatorFor(app);
    const options = done(await registrationOptions(user));
    done(await register(user, second.create(options), 'Key'));
    for (const one of [authenticator, second]) expect(outcome(await complete(user, one))).toBe('201');
  });
});
