import { beforeAll, describe, expect, test } from 'vitest';
import {
  disable,
  enable,
  forgetTries,
  generate,
  isOn,
  outcome,
  proved,
  reset,
  startFactorWorld,
} from '../../../../../test/kit/accounts/second-factor.ts';
import { code, turnOnMfa, wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import type { Answer, Player, TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { signInAgain } from '../../../../../test/kit/http/requests.ts';

let app: TestApp;
const world = fixture(startFactorWorld);
beforeAll(async () => {
  app = world.app;
});

describe('disable-2fa', () => {
  test('requires a code to turn two-factor authentication off, unless the session has recently verified one', async () => {
    for (const isFresh of [true, false]) {
      const player = await app.newPlayer();
      const { code: nextCode } = await turnOnMfa(app, player);
      const expectEnd = await world.knownEverywhere(player);
      if (!isFresh) await proved(app, player, 301);
      const answer = await disable(player, isFresh ? undefined : { mfaCode: await nextCode() });
      expect([answer.status, answer.body]).toEqual([201, { success: true }]);
      expect(await isOn(player)).toBe(false);
      await expectEnd();
      expect(await world.statusOf(player.token, app)).toBe(200);
      expect(await world.told(player, /turned off/)).toBeTruthy();
      expect(await world.factorOf(player)).toMatchObject({ active: null, pending: null });
      expect(await world.liveSessionsOf(player)).toEqual([{ mfa_method: null, mfa_at: null }]);
      expect(outcome(await disable(player))).toBe('409 MFA_NOT_ENABLED');
    }
  });

  test('rejects a wrong code even after a recent second-factor check', async () => {
    const player = await app.newPlayer();
    const { secret, recoveryCodes } = await turnOnMfa(app, player);
    for (const mfaCode of [wrongCode(secret), 'nonsense', recoveryCodes[0]!])
      expect(outcome(await disable(player, { mfaCode })), mfaCode).toBe('400 MFA_INVALID');
    expect(outcome(await disable(player, { mfaCode: '' }))).toBe('400 VALIDATION_FAILED');
    expect(outcome(await disable(player, { code: '123456' }))).toBe('400 VALIDATION_FAILED');
    expect(await isOn(player)).toBe(true);
  });
});

describe('reset-2fa', () => {
  test('replaces a second factor with a recovery code, and invalidates the old one and its recovery codes', async () => {
    const player = await app.newPlayer();
    const old = await turnOnMfa(app, player);
    const expectEnd = await world.knownEverywhere(player);
    await proved(app, player, 9999);
    const answer = await reset(player, { recoveryCode: old.recoveryCodes[3]!.toLowerCase() });
    expect(answer.status).toBe(201);
    const { secret } = answer.body;
    expect(secret).not.toBe(old.secret);
    expect(answer.body.otpauthUrl).toContain(secret);
    expect(await isOn(player)).toBe(false);
    await expectEnd();
    expect(await world.told(player, /was reset/)).not.toContain(secret);
    expect((await world.factorOf(player))!.reset_at!.getTime()).toBeGreaterThan(Date.now() - 60_000);
    // The code proves who the caller is, so the age of the session does not matter.
    await app.sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${player.id}`.execute(
      app.db,
    );
    expect(outcome(await generate(player))).toBe('403 SIGN_IN_AGAIN');
    expect(outcome(await enable(player, code(old.secret)))).toBe('400 MFA_INVALID');
    const again = await enable(player, code(secret));
    expect(again.status).toBe(201);
    for (const recoveryCode of old.recoveryCodes.slice(0, 4))
      expect(outcome(await reset(player, { recoveryCode }))).toBe('400 MFA_INVALID');
    expect((await reset(player, { recoveryCode: again.body.recoveryCodes[0] })).status).toBe(201);
    expect(outcome(await reset(player, { recoveryCode: again.body.recoveryCodes[1] }))).toBe(
      '409 MFA_NOT_ENABLED',
    );
  });

  test('needs no recovery code in a session that was opened with a recovery code less than five minutes ago', async () => {
    const player = await app.newPlayer();
    await turnOnMfa(app, player);
    await proved(app, player, 299, 'RECOVERY');
    expect((await reset(player)).status).toBe(201);
  });

  test('rejects app codes, sessions that used the app, and sessions whose recovery code was verified too long ago', async () => {
    const player = await app.newPlayer();
    const factor = await turnOnMfa(app, player);
    expect(outcome(await reset(player))).toBe('403 MFA_REQUIRED');
    expect(outcome(await reset(player, { recoveryCode: await factor.code() }))).toBe('400 MFA_INVALID');
    await proved(app, player, 301, 'RECOVERY');
    expect(outcome(await reset(player))).toBe('403 MFA_REQUIRED');
    expect(await isOn(player)).toBe(true);
  });

  test('resets the second factor only once when one recovery code is used 20 times concurrently', async () => {
    const player = await app.newPlayer();
    const { recoveryCodes } = await turnOnMfa(app, player);
    const tries = Array.from({ length: 20 }, () => reset(player, { recoveryCode: recoveryCodes[0] }));
    const outcomes = (await Promise.all(tries)).map(outcome);
    expect(outcomes.filter((o) => o === '201')).toHaveLength(1);
    for (const other of outcomes.filter((o) => o !== '201'))
      expect(other).toMatch(/^(409 MFA_NOT_ENABLED|429 RATE_LIMITED)$/);
  });

  test('counts wrong recovery codes separately from wrong app codes', async () => {
    const player = await app.newPlayer();
    const { secret, code: right, recoveryCodes } = await turnOnMfa(app, player);
    await forgetTries(app, player);
    for (let i = 0; i < 10; i++)
      expect(outcome(await disable(player, { mfaCode: wrongCode(secret) }))).toBe('400 MFA_INVALID');
    expect(outcome(await disable(player, { mfaCode: await right() }))).toBe('429 RATE_LIMITED');
    for (let i = 0; i < 9; i++)
      expect(outcome(await reset(player, { recoveryCode: '0000-0000-0000-0000' }))).toBe('400 MFA_INVALID');
    expect(outcome(await reset(player, { recoveryCode: recoveryCodes[0] }))).toBe('201');
  });

  test('allows ten recovery codes per session in half an hour', async () => {
    const player = await app.newPlayer();
    const { recoveryCodes } = await turnOnMfa(app, player);
    const guess = () => reset(player, { recoveryCode: '0000-0000-0000-0000' });
    const outcomes = (await Promise.all(Array.from({ length: 15 }, guess))).map(outcome);
    expect(outcomes.filter((o) => o === '400 MFA_INVALID')).toHaveLength(10);
    expect(outcomes.filter((o) => o === '429 RATE_LIMITED')).toHaveLength(5);
    expect(outcome(await reset(player, { recoveryCode: recoveryCodes[0] }))).toBe('429 RATE_LIMITED');
  });
});

describe('rejects the removal of the second factor without a check', () => {
  const unchanged = async (player: Player, attack: () => Promise<string[]>) => {
    const before = await world.factorOf(player);
    expect(before!.active).not.toBeNull();
    const seen = await attack();
    expect(await world.factorOf(player)).toEqual(before);
    expect(await isOn(player)).toBe(true);
    return seen;
  };
  const removals = async (session: Player) =>
    [await disable(session), await disable(session, {}), await reset(session), await reset(session, {})].map(
      outcome,
    );

  test('rejects the removal in a session that verified the second factor more than five minutes ago', async () => {
    const player = await app.newPlayer();
    await turnOnMfa(app, player);
    for (const method of ['TOTP', 'RECOVERY'] as const) {
      await proved(app, player, 301, method);
      const seen = await unchanged(player, () => removals(player));
      expect(new Set(seen)).toEqual(new Set(['403 MFA_REQUIRED']));
    }
    expect(outcome(await generate(player))).toBe('409 MFA_ALREADY_ENABLED');
  });

  test('rejects the removal in a session that never verified the second factor, even after setting a password', async () => {
    const player = await app.newPlayer();
    await turnOnMfa(app, player);
    const { token } = await signInAgain(app, player);
    const thief = {
      ...player,
      token,
      call: (method: string, path: string, o: object = {}) => app.call(method, path, { token, ...o }),
    } as Player;
    await app.db.updateTable('users').set({ password_hash: 'new' }).where('id', '=', player.id).execute();
    const seen = await unchanged(player, () => removals(thief));
    expect(new Set(seen)).toEqual(new Set(['403 MFA_REQUIRED']));
  });

  test('rejects the removal when a page on another site requests it', async () => {
    const player = await app.newPlayer();
    await turnOnMfa(app, player);
    const cookie = `__Host-access_token=${player.token}`;
    const seen = await unchanged(player, async () => {
      const answers: Answer[] = [];
      for (const origin of ['https://evil.example', 'null', undefined])
        for (const path of ['/user/disable-2fa', '/user/reset-2fa', '/user/enable-2fa'])
          answers.push(await app.call('POST', path, { headers: { cookie, ...(origin && { origin }) } }));
      const headers = { cookie, 'sec-fetch-site': 'cross-site' };
      answers.push(await app.call('GET', '/user/generate-2fa', { headers }));
      return answers.map(outcome);
    });
    expect(new Set(seen)).toEqual(new Set(['403 ORIGIN_FORBIDDEN']));
  });
});
