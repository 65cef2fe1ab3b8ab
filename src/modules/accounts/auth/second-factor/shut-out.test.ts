import { describe, expect, test } from 'vitest';
import {
  disable,
  halfSignedIn,
  outcome,
  type Protected,
  protectedAccount,
  verify,
} from '../../../../../test/kit/accounts/second-factor.ts';
import { signed } from '../../../../../test/kit/accounts/sign-in.ts';
import { wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { inParallel } from '../../../../../test/kit/http/requests.ts';

const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: { ...outside.env, TRUSTED_PROXIES: '127.0.0.1' } }));

const WRONG_RECOVERY = '0000-0000-0000-0000';
const signIn = async ({ email, password }: Protected, ip: string, cookie?: string) =>
  app.call('POST', '/auth/sign-in', {
    body: { email, password },
    headers: {
      'x-captcha-token': await outside.solve(),
      'x-forwarded-for': ip,
      ...(cookie && { cookie: `__Host-device=${cookie}` }),
    },
  });
const verifyAt = (token: string, mfaCode: string, cookie?: string) =>
  app.call('POST', '/auth/verify-2fa', {
    body: { token, mfaCode },
    headers: cookie ? { cookie: `__Host-device=${cookie}` } : {},
  });
const deviceOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('__Host-device='))!
    .split(/[=;]/)[1]!;
/** Acts as a stranger who knows the password: enters wrong app codes until all attempts of the account are used up. */
async function attack(user: Protected) {
  const outcomes: string[] = [];
  for (let i = 0; i < 4; i++) {
    const token = await halfSignedIn(app, user.id);
    for (let j = 0; j < 5; j++)
      outcomes.push(outcome(await verify(app, { token, mfaCode: wrongCode(user.factor.secret) })));
  }
  expect(outcomes.filter((o) => o === '400 MFA_INVALID')).toHaveLength(10);
  expect(outcomes.at(-1)).toBe('429 RATE_LIMITED');
}

describe('a user whose password is known to an attacker', () => {
  test('lets the owner sign in with a recovery code after ten wrong app codes', async () => {
    const user = await protectedAccount(app, outside.solve);
    await attack(user);
    const token = await halfSignedIn(app, user.id);
    expect(outcome(await verify(app, { token, mfaCode: await user.factor.code() }))).toBe('429 RATE_LIMITED');
    // The same token can be used, because attempts with app codes and with recovery codes are counted separately.
    expect(outcome(await verify(app, { token, mfaCode: user.factor.recoveryCodes[0] }))).toBe('200');
  });

  test('lets the owner sign in despite wrong recovery codes, and allows ten wrong ones for each sign-in', async () => {
    const user = await protectedAccount(app, outside.solve);
    const tokens = await inParallel(Array.from({ length: 20 }), () => halfSignedIn(app, user.id));
    const outcomes = await inParallel(
      Array.from({ length: 400 }, (_, i) => tokens[i % 20]!),
      async (token) => outcome(await verify(app, { token, mfaCode: WRONG_RECOVERY })),
      40,
    );
    expect(outcomes.filter((o) => o === '400 MFA_INVALID')).toHaveLength(200);
    expect(outcomes.filter((o) => o === '429 RATE_LIMITED')).toHaveLength(200);
    const own = await halfSignedIn(app, user.id);
    for (let i = 0; i < 9; i++)
      expect(outcome(await verify(app, { token: own, mfaCode: WRONG_RECOVERY }))).toBe('400 MFA_INVALID');
    expect(outcome(await verify(app, { token: own, mfaCode: user.factor.recoveryCodes[0] }))).toBe('200');
    const app1 = await halfSignedIn(app, user.id);
    expect(outcome(await verify(app, { token: app1, mfaCode: await user.factor.code() }))).toBe('200');
  });

  test("accepts app codes from the owner's known device despite wrong codes elsewhere, and allows ten wrong ones on it", async () => {
    const user = await protectedAccount(app, outside.solve);
    const half = await halfSignedIn(app, user.id);
    const known = deviceOf((await verifyAt(half, await user.factor.code())).headers);
    await attack(user);
    const own = await halfSignedIn(app, user.id);
    expect(outcome(await verifyAt(own, wrongCode(user.factor.secret), known))).toBe('400 MFA_INVALID');
    expect(outcome(await verifyAt(own, await user.factor.code(), known))).toBe('200');

    const outcomes: string[] = [];
    for (let i = 0; i < 3; i++) {
      const token = await halfSignedIn(app, user.id);
      for (let j = 0; j < 5; j++)
        outcomes.push(outcome(await verifyAt(token, wrongCode(user.factor.secret), known)));
    }
    expect(outcomes.filter((o) => o === '400 MFA_INVALID').length).toBeLessThanOrEqual(10);
    expect(outcomes.at(-1)).toBe('429 RATE_LIMITED');
  });

  test('does not recognize an invented device cookie or that of another user', async () => {
    const [user, thief] = [
      await protectedAccount(app, outside.solve),
      await protectedAccount(app, outside.solve),
    ];
    const token = await halfSignedIn(app, thief.id);
    const theirs = deviceOf((await verifyAt(token, await thief.factor.code())).headers);
    await attack(user);
    for (const cookie of [theirs, `${'a'.repeat(16)}.9999999999.${'b'.repeat(43)}`]) {
      const half = await halfSignedIn(app, user.id);
      expect(outcome(await verifyAt(half, wrongCode(user.factor.secret), cookie))).toBe('429 RATE_LIMITED');
    }
  });

  test('lets the owner sign in after many unfinished sign-ins from other networks', async () => {
    const user = await protectedAccount(app, outside.solve);
    for (let i = 0; i < 3 * app.config.SIGN_IN_TRIES_ACCOUNT; i++)
      expect((await signIn(user, `203.0.${i}.7`)).body.requireMfa).toBe(true);
    const own = await signIn(user, '198.51.100.7');
    const { userId } = signed(await verifyAt(own.body.token, user.factor.recoveryCodes[0]!));
    expect(userId).toBe(user.id);
  });

  test('lets the owner sign in while wrong codes are entered in a stolen session', async () => {
    const user = await protectedAccount(app, outside.solve);
    await app.sql`update sessions set mfa_at = now() - interval '1 hour' where user_id = ${user.id}`.execute(
      app.db,
    );
    for (let i = 0; i < 10; i++)
      expect(outcome(await disable(user, { mfaCode: wrongCode(user.factor.secret) }))).toBe(
        '400 MFA_INVALID',
      );
    expect(outcome(await disable(user, { mfaCode: await user.factor.code() }))).toBe('429 RATE_LIMITED');
    const token = await halfSignedIn(app, user.id);
    expect(outcome(await verify(app, { token, mfaCode: await user.factor.code() }))).toBe('200');
  });
});
