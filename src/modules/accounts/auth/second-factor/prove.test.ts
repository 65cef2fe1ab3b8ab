import { describe, expect, test } from 'vitest';
import { disable, forgetTries, outcome, proved } from '../../../../../test/kit/accounts/second-factor.ts';
import { turnOnMfa, wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import { type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { signInAgain } from '../../../../../test/kit/http/requests.ts';
import type { Permission } from '../../../../http/access.ts';
import { route } from '../../../../http/route.ts';

const staffRoute = route({
  method: 'GET',
  path: '/test/staff',
  tag: 'Test',
  access: { permission: 'test.right' as Permission },
  summary: 'For the test',
  handler: () => undefined,
});

const app = fixture(startApp);
/** Another process, which requires a second factor for staff. */
const strict = fixture(() =>
  startApp({
    database: app.database,
    env: { STAFF_MFA_REQUIRED: 'true' },
    extraRoutes: [staffRoute],
  }),
);

const sessionOf = async (token: string) =>
  (await app.services.sessions.authenticator.verify(token)).sessionId;

describe('required second factor of staff (STAFF_MFA_REQUIRED)', () => {
  test('rejects staff routes with 403 MFA_REQUIRED until the session has verified its second factor', async () => {
    const clerk = await strict.as({ permissions: ['test.right'] });
    const look = async () => outcome(await strict.call('GET', '/test/staff', { token: clerk.token }));
    const call = (method: string, path: string, o: object = {}) =>
      strict.call(method, path, { token: clerk.token, ...o });
    expect(await look()).toBe('403 MFA_REQUIRED');
    expect(outcome(await call('GET', '/accounting/balances'))).toBe('200');
    const factor = await turnOnMfa(strict, { id: clerk.id, call });
    await expect.poll(look).toBe('200');

    const later = await signInAgain(strict, clerk);
    expect(outcome(await strict.call('GET', '/test/staff', { token: later.token }))).toBe('403 MFA_REQUIRED');
    expect(await look()).toBe('200');

    // The request is sent to another process, because every process must refresh its cache.
    await proved(app, clerk, 301);
    expect(outcome(await disable(clerk))).toBe('403 MFA_REQUIRED');
    expect(outcome(await app.call('POST', '/user/disable-2fa', { token: clerk.token }))).toBe(
      '403 MFA_REQUIRED',
    );
    const off = await app.call('POST', '/user/disable-2fa', {
      token: clerk.token,
      body: { mfaCode: await factor.code() },
    });
    expect(outcome(off)).toBe('201');
    await expect.poll(look).toBe('403 MFA_REQUIRED');
    expect(outcome(await call('GET', '/user/me'))).toBe('200');
  });

  test('accepts a staff session after a code has verified its second factor', async () => {
    const clerk = await strict.as({ permissions: ['test.right'] });
    const factor = await turnOnMfa(strict, clerk);
    const { token } = await signInAgain(strict, clerk);
    const look = async () => outcome(await strict.call('GET', '/test/staff', { token }));
    expect(await look()).toBe('403 MFA_REQUIRED');
    const { userId, sessionId } = { userId: clerk.id, sessionId: await sessionOf(token) };
    const mfaCode = await factor.code();
    await app.db
      .transaction()
      .execute((tx) => app.services.mfa.prove(tx, { userId, sessionId, code: mfaCode }));
    await expect.poll(look).toBe('200');
  });
});

describe('prove', () => {
  const proving = async (player: Player, typed?: string, where = player.token) => {
    const sessionId = await sessionOf(where);
    return app.db
      .transaction()
      .execute((tx) => app.services.mfa.prove(tx, { userId: player.id, sessionId, code: typed }))
      .then(
        () => 'passes',
        (error) => error.code as string,
      );
  };

  test('allows a protected action without a second factor, after a recent check of it, or with a valid code', async () => {
    const player = await app.newPlayer();
    expect(await proving(player)).toBe('passes');
    const factor = await turnOnMfa(app, player);
    expect(await proving(player)).toBe('passes');
    expect(await proving(player, wrongCode(factor.secret))).toBe('MFA_INVALID');
    const { token } = await signInAgain(app, player);
    expect(await proving(player, undefined, token)).toBe('MFA_REQUIRED');
    const once = await factor.code();
    expect(await proving(player, once, token)).toBe('passes');
    expect(await proving(player, undefined, token)).toBe('passes');
    expect(await proving(player, once, token)).toBe('MFA_INVALID');
    expect(await proving(player, factor.recoveryCodes[0], token)).toBe('MFA_INVALID');
    await proved(app, player, 301);
    expect(await proving(player, undefined, token)).toBe('MFA_REQUIRED');
  });

  test('consumes a code only if its transaction commits, but always counts wrong codes', async () => {
    const player = await app.newPlayer();
    const factor = await turnOnMfa(app, player);
    const sessionId = await sessionOf(player.token);
    const mfaCode = await factor.code();
    const failing = app.db.transaction().execute(async (tx) => {
      await app.services.mfa.prove(tx, { userId: player.id, sessionId, code: mfaCode });
      throw new Error('something else fails');
    });
    await expect(failing).rejects.toThrow('something else fails');
    expect(await proving(player, mfaCode)).toBe('passes');
    await forgetTries(app, player);
    // There are more concurrent requests than connections in the pool. They must not deadlock.
    const guesses = Array.from({ length: 40 }, () => proving(player, wrongCode(factor.secret)));
    const outcomes = await Promise.all(guesses);
    expect(outcomes.filter((o) => o === 'MFA_INVALID')).toHaveLength(10);
    expect(outcomes.filter((o) => o === 'RATE_LIMITED')).toHaveLength(30);
    expect(await proving(player)).toBe('passes');
  });
});
