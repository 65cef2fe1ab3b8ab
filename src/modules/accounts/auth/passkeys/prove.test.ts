import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lies } from '../../../../../test/kit/accounts/authenticator.ts';
import {
  addPasskey,
  authenticatorFor,
  done,
  listed,
  proof,
  proofOptions,
  provenBy,
  register,
  registrationOptions,
  remove,
} from '../../../../../test/kit/accounts/passkeys.ts';
import {
  disable,
  enable,
  generate,
  isOn,
  outcome,
  proved,
  reset,
  startFactorWorld,
} from '../../../../../test/kit/accounts/second-factor.ts';
import { code, turnOnMfa } from '../../../../../test/kit/accounts/totp.ts';
import { type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { newTipper } from '../../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { signInAgain } from '../../../../../test/kit/http/requests.ts';
import { withdraw } from '../../../../../test/kit/money/withdrawals.ts';

let app: TestApp;
let strict: TestApp;
const world = fixture(startFactorWorld);
beforeAll(async () => {
  app = world.app;
  const env = { ...world.outside.env, STAFF_MFA_REQUIRED: 'true' };
  strict = await startApp({ database: app.database, env });
});
afterAll(() => strict.stop());

const withPasskey = async (usdt = 0) => {
  const player = await app.newPlayer({ usdt });
  const authenticator = authenticatorFor(app);
  await addPasskey(player, authenticator);
  return { player, authenticator };
};
const anotherSession = async (player: Player, where = app): Promise<Player> => {
  const { token } = await signInAgain(where, player);
  return {
    ...player,
    token,
    call: ((method, path, o = {}) => where.call(method, path, { token, ...o })) as Player['call'],
  };
};
const resetAt = async (player: Player) => (await world.factorOf(player))!.reset_at;
const WRONG = `pk_${'x'.repeat(43)}`;

describe('a passkey check', () => {
  test('returns a one-time code that is valid for five minutes', async () => {
    const { player, authenticator } = await withPasskey();
    const answer = done(await proof(player, authenticator.get(done(await proofOptions(player)))));
    expect(answer).toEqual({
      mfaCode: expect.stringMatching(/^pk_[\w-]{43}$/),
      expiresAt: expect.any(String),
    });
    const left = Date.parse(answer.expiresAt) - Date.now();
    expect(left).toBeGreaterThan(290_000);
    expect(left).toBeLessThan(305_000);
    const stored = await app.db
      .selectFrom('one_time_tokens')
      .select('payload')
      .where('purpose', '=', 'PASSKEY_CODE')
      .where('user_id', '=', player.id)
      .execute();
    expect(stored).toHaveLength(1);
  });

  test("requires a passkey, and lists only the user's own passkeys in the options", async () => {
    expect(outcome(await proofOptions(await app.newPlayer()))).toBe('409 NO_PASSKEY');
    const { player, authenticator } = await withPasskey();
    const { allowCredentials } = done(await proofOptions(player));
    expect(allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.credentials[0]!.id]);
  });

  test.each<[string, Lies]>([
    ['from another origin', { origin: 'https://evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['without user verification', { isVerified: false }],
    ['with a registration instead of an assertion', { type: 'webauthn.create' }],
    ['in a frame of another site', { isFramed: true }],
    ['with an unknown id', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['with the user handle of another user', { userHandle: 'AAAA' }],
  ])('rejects a passkey %s and consumes the challenge', async (_, lies) => {
    const { player, authenticator } = await withPasskey();
    await proved(app, player, 301);
    const options = done(await proofOptions(player));
    expect(outcome(await proof(player, authenticator.get(options, lies)))).toBe('400 PASSKEY_INVALID');
    expect(outcome(await proof(player, authenticator.get(options)))).toBe('400 PASSKEY_CHALLENGE_INVALID');
    expect(outcome(await registrationOptions(player))).toBe('403 MFA_REQUIRED');
  });

  test('rejects the passkey of another user and challenges of another session or purpose', async () => {
    const [one, two] = [await withPasskey(), await withPasskey()];
    const options = done(await proofOptions(one.player));
    const wrong = await proof(one.player, two.authenticator.get(options));
    expect(outcome(wrong)).toBe('400 PASSKEY_INVALID');
    const other = await anotherSession(one.player);
    const theirs = done(await proofOptions(other));
    expect(outcome(await proof(one.player, one.authenticator.get(theirs)))).toBe(
      '400 PASSKEY_CHALLENGE_INVALID',
    );
    const ofRegistration = done(await registrationOptions(one.player));
    const crossed = one.authenticator.get({ ...ofRegistration, rpId: 'localhost' });
    expect(outcome(await proof(one.player, crossed))).toBe('400 PASSKEY_CHALLENGE_INVALID');
  });

  test('returns only one code when 20 concurrent calls use the same challenge', async () => {
    const { player, authenticator } = await withPasskey();
    const options = done(await proofOptions(player));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => proof(player, authenticator.get(options))),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((one) => one === '201')).toHaveLength(1);
    for (const other of outcomes.filter((one) => one !== '201'))
      expect(other).toMatch(/^(400 PASSKEY_CHALLENGE_INVALID|429 RATE_LIMITED)$/);
  });

  test('allows ten failed passkey checks in half an hour, counted separately from app codes', async () => {
    const { player, authenticator } = await withPasskey();
    const factor = await turnOnMfa(app, player);
    const outcomes: string[] = [];
    for (let i = 0; i < 12; i++) {
      const options = done(await proofOptions(player));
      outcomes.push(outcome(await proof(player, authenticator.get(options, { isVerified: false }))));
    }
    expect(outcomes).toEqual([
      ...Array(10).fill('400 PASSKEY_INVALID'),
      ...Array(2).fill('429 RATE_LIMITED'),
    ]);
    expect(outcome(await disable(player, { mfaCode: await factor.code() }))).toBe('201');
  });
});

describe('a passkey code instead of an app code', () => {
  test('accepts a passkey code once for a withdrawal, only in its own session and until it expires', async () => {
    const { player, authenticator } = await withPasskey(100);
    // The session has just proven the factor, but each withdrawal requires a new code.
    expect(outcome(await withdraw(player))).toBe('403 MFA_REQUIRED');
    expect(outcome(await withdraw(player, { mfaCode: WRONG }))).toBe('400 MFA_INVALID');
    const mfaCode = await provenBy(player, authenticator);
    const other = await anotherSession(player);
    expect(outcome(await withdraw(other, { mfaCode }))).toBe('400 MFA_INVALID');
    expect(outcome(await withdraw(player, { mfaCode, amount: '150' }))).toBe('400 INSUFFICIENT_BALANCE');
    expect(outcome(await withdraw(player, { mfaCode }))).toBe('201');
    expect(outcome(await withdraw(player, { mfaCode }))).toBe('400 MFA_INVALID');
    const next = await provenBy(player, authenticator);
    const answers = await Promise.all(Array.from({ length: 6 }, () => withdraw(player, { mfaCode: next })));
    expect(answers.map(outcome).filter((one) => one === '201')).toHaveLength(1);
    const late = await provenBy(player, authenticator);
    await app.sql`update one_time_tokens set expires_at = now() where user_id = ${player.id}`.execute(app.db);
    expect(outcome(await withdraw(player, { mfaCode: late }))).toBe('400 MFA_INVALID');
  });

  test('rejects a passkey code after a passkey is removed', async () => {
    const { player, authenticator } = await withPasskey(100);
    const second = await addPasskey(player, authenticatorFor(app));
    const mfaCode = await provenBy(player, authenticator);
    expect(outcome(await remove(player, second.passkey.id))).toBe('200');
    expect(outcome(await withdraw(player, { mfaCode }))).toBe('400 MFA_INVALID');
  });

  test('accepts a passkey code for a tip', async () => {
    const [sender, receiver] = [await newTipper(app, 100), await newTipper(app)];
    const authenticator = authenticatorFor(app);
    await addPasskey(sender, authenticator);
    const body = { recipientUsername: receiver.username, currencyId: 'USDT', amount: '5' };
    const tip = (mfaCode?: string) =>
      sender.call('POST', '/user-tips', { body: { ...body, ...(mfaCode ? { mfaCode } : {}) } });
    expect(outcome(await tip())).toBe('403 MFA_REQUIRED');
    expect(outcome(await tip(await provenBy(sender, authenticator)))).not.toContain('MFA');
  });

  test('accepts a passkey for a staff step-up, both to verify the session and as a code in the x-mfa-code header', async () => {
    const boss = await strict.as('superadmin');
    const authenticator = authenticatorFor(strict);
    await addPasskey(boss, authenticator);
    const { id } = await app.newPlayer();
    const grant = (headers: Record<string, string> = {}) =>
      boss.call('PUT', `/admin/user/${id}/roles`, { body: { roles: ['SUPPORT'] }, headers });
    await proved(strict, boss, 901);
    const refused = await grant();
    expect(outcome(refused)).toBe('403 MFA_REQUIRED');
    expect(refused.body.message).toContain('POST /user/passkeys/proof');
    expect(outcome(await grant({ 'x-mfa-code': WRONG }))).toBe('400 MFA_INVALID');
    const mfaCode = await provenBy(boss, authenticator);
    expect(outcome(await grant())).toBe('200');
    await proved(strict, boss, 901);
    expect(outcome(await grant({ 'x-mfa-code': mfaCode }))).toBe('200');
    expect(outcome(await grant())).toBe('200');
    expect(outcome(await grant({ 'x-mfa-code': mfaCode }))).toBe('400 MFA_INVALID');
  });

  test("lets staff verify a session's second factor with a passkey, and applies it in every process", async () => {
    const clerk = await strict.as({ permissions: ['user.read'] });
    const authenticator = authenticatorFor(strict);
    await addPasskey(clerk, authenticator);
    const other = await anotherSession(clerk, strict);
    const look = async () => outcome(await other.call('POST', '/admin/user/all', { body: {} }));
    expect(await look()).toBe('403 MFA_REQUIRED');
    await provenBy(other, authenticator);
    await expect.poll(look).not.toContain('403');
  });
});

describe('passkeys together with the app', () => {
  test('issues new recovery codes when the app is added, and keeps the passkey when the app is removed', async () => {
    const { player, authenticator } = await withPasskey();
    const other = await anotherSession(player);
    expect(outcome(await generate(other))).toBe('403 MFA_REQUIRED');
    const factor = await turnOnMfa(app, player);
    expect(await listed(player)).toMatchObject({ isAppEnabled: true, recoveryCodesLeft: 10 });
    expect(outcome(await generate(player))).toBe('409 MFA_ALREADY_ENABLED');
    expect(outcome(await disable(player, { mfaCode: await provenBy(player, authenticator) }))).toBe('201');
    expect(await isOn(player)).toBe(true);
    expect(await listed(player)).toMatchObject({ isAppEnabled: false, recoveryCodesLeft: 10 });
    expect(outcome(await disable(player))).toBe('409 MFA_NOT_ENABLED');
    expect(outcome(await reset(player, { recoveryCode: factor.recoveryCodes[0] }))).toBe(
      '409 MFA_NOT_ENABLED',
    );
    // The session's proof remains valid, because the factor that was used for it still exists.
    expect(await world.liveSessionsOf(player)).toEqual([{ mfa_method: 'PASSKEY', mfa_at: expect.any(Date) }]);
    await provenBy(player, authenticator);
  });

  test('keeps the recovery codes when a passkey is added, and keeps the app when the passkey is removed', async () => {
    const player = await app.newPlayer();
    const factor = await turnOnMfa(app, player);
    const authenticator = authenticatorFor(app);
    const added = await addPasskey(player, authenticator);
    expect(added).not.toHaveProperty('recoveryCodes');
    await proved(app, player, 301);
    const { id } = added.passkey;
    expect(outcome(await remove(player, id, { mfaCode: await factor.code() }))).toBe('200');
    expect(await isOn(player)).toBe(true);
    expect(await listed(player)).toEqual({ passkeys: [], isAppEnabled: true, recoveryCodesLeft: 10 });
  });

  test('replaces a lost app with a recovery code and keeps the passkey', async () => {
    const player = await app.newPlayer();
    const factor = await turnOnMfa(app, player);
    const authenticator = authenticatorFor(app);
    await addPasskey(player, authenticator);
    const answer = await reset(player, { recoveryCode: factor.recoveryCodes[0] });
    expect(answer.status).toBe(201);
    expect(await isOn(player)).toBe(true);
    expect(await listed(player)).toMatchObject({ isAppEnabled: false, recoveryCodesLeft: 9 });
    expect(outcome(await enable(player, code(answer.body.secret)))).toBe('201');
    expect(await listed(player)).toMatchObject({ isAppEnabled: true, recoveryCodesLeft: 10 });
  });

  test('cancels a pending app key when the first passkey is added', async () => {
    const player = await app.newPlayer();
    const { secret } = (await generate(player)).body;
    await addPasskey(player, authenticatorFor(app));
    expect(outcome(await enable(player, code(secret)))).toBe('409 MFA_NOT_PENDING');
  });
});

describe('hold on withdrawals after a sign-in with a recovery code', () => {
  const recovered = async () => {
    const { player, authenticator } = await withPasskey();
    await proved(app, player, 10, 'RECOVERY');
    expect(await resetAt(player)).toBeNull();
    return { player, authenticator };
  };

  test('starts a hold on withdrawals when a passkey is added', async () => {
    const { player } = await recovered();
    await addPasskey(player, authenticatorFor(app));
    expect(await resetAt(player)).toBeInstanceOf(Date);
  });

  test('starts a hold on withdrawals when a passkey is removed', async () => {
    const { player } = await recovered();
    const { passkeys } = await listed(player);
    expect(outcome(await remove(player, passkeys[0].id))).toBe('200');
    expect(await resetAt(player)).toBeInstanceOf(Date);
  });

  test('starts a hold on withdrawals when the app is turned on or off', async () => {
    const { player } = await recovered();
    await turnOnMfa(app, player);
    expect(await resetAt(player)).toBeInstanceOf(Date);
    const another = await app.newPlayer();
    await turnOnMfa(app, another);
    await proved(app, another, 10, 'RECOVERY');
    expect(outcome(await disable(another))).toBe('201');
    expect(await resetAt(another)).toBeInstanceOf(Date);
  });

  test('starts no hold on withdrawals when the session has verified a passkey since the sign-in with a recovery code', async () => {
    const { player, authenticator } = await recovered();
    await provenBy(player, authenticator);
    const second = authenticatorFor(app);
    done(await register(player, second.create(done(await registrationOptions(player)))));
    expect(await resetAt(player)).toBeNull();
  });
});
