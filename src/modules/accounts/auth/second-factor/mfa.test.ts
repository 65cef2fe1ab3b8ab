import { beforeAll, describe, expect, test } from 'vitest';
import {
  enable,
  generate,
  isOn,
  outcome,
  startFactorWorld,
} from '../../../../../test/kit/accounts/second-factor.ts';
import { whileSessionsEnd } from '../../../../../test/kit/accounts/session-end.ts';
import { code, turnOnMfa, wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import type { Player, TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { signInAgain } from '../../../../../test/kit/http/requests.ts';
import { purgeJobs } from '../purge.ts';

let app: TestApp;
const world = fixture(startFactorWorld);
beforeAll(async () => {
  app = world.app;
});

const opened = (player: Player, seconds: number) =>
  app.sql`update sessions set created_at = now() - make_interval(secs => ${seconds})
    where user_id = ${player.id}`.execute(app.db);
const anotherSession = async (player: Player): Promise<Player> => {
  const { token } = await signInAgain(app, player);
  return {
    ...player,
    call: ((method, path, o = {}) => app.call(method, path, { token, ...o })) as Player['call'],
  };
};
const pendingOf = ({ id }: Player) =>
  app.db
    .selectFrom('pending_factors')
    .select('key')
    .where('session_id', 'in', app.db.selectFrom('sessions').select('id').where('user_id', '=', id))
    .execute();

describe('generate-2fa', () => {
  test('returns a new key on every call, and does not turn two-factor authentication on', async () => {
    const player = await app.newPlayer();
    const before = (await generate(player)).body.secret;
    const first = await generate(player);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const { secret, otpauthUrl, qrDataUrl } = first.body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(secret).not.toBe(before);
    expect(new URL(otpauthUrl).searchParams.get('secret')).toBe(secret);
    expect(decodeURIComponent(otpauthUrl)).toContain(`totp/Croupier:${player.username}@test.example`);
    expect(qrDataUrl).toMatch(/^data:image\/png;base64,/);
    expect(await isOn(player)).toBe(false);
    expect(await world.factorOf(player)).toMatchObject({ active: null, enabled_at: null });
    expect(outcome(await enable(player, code(before)))).toBe('400 MFA_INVALID');
    expect(outcome(await enable(player, code(secret)))).toBe('201');
  });

  test('limits a pending key to the session that generated it', async () => {
    const player = await app.newPlayer();
    const other = await anotherSession(player);
    const { secret } = (await generate(player)).body;
    expect(outcome(await enable(other, code(secret)))).toBe('409 MFA_NOT_PENDING');
    const theirs = (await generate(other)).body.secret;
    expect(theirs).not.toBe(secret);
    expect(outcome(await enable(other, code(secret)))).toBe('400 MFA_INVALID');
    expect(outcome(await enable(player, code(secret)))).toBe('201');
    expect(await pendingOf(player)).toEqual([]);
  });

  test('rejects an older session with SIGN_IN_AGAIN, even while a key is pending', async () => {
    const player = await app.newPlayer();
    const { secret } = (await generate(player)).body;
    await opened(player, app.config.MFA_PROOF_SECONDS + 1);
    for (let i = 0; i < 3; i++) {
      const answer = await generate(player);
      expect(outcome(answer)).toBe('403 SIGN_IN_AGAIN');
      expect(answer.text).not.toContain(secret);
    }
    const other = await anotherSession(player);
    expect(outcome(await generate(other))).toBe('200');
    // A pending key that has not expired can still be confirmed.
    expect(outcome(await enable(player, code(secret)))).toBe('201');
  });

  test('deletes the pending key when its session ends', async () => {
    const player = await app.newPlayer();
    const other = await anotherSession(player);
    const { secret } = (await generate(player)).body;
    const purge = purgeJobs(app.db, app.config).find(({ name }) => name === 'sign-in.purge')!;
    await purge.run();
    expect(await pendingOf(player)).toHaveLength(1);
    await player.call('DELETE', '/session/log-out/current');
    await expect.poll(() => world.statusOf(player.token, app)).toBe(401);
    expect(outcome(await enable(player, code(secret)))).toBe('401 UNAUTHORIZED');
    expect(outcome(await enable(other, code(secret)))).toBe('409 MFA_NOT_PENDING');
    await purge.run();
    expect(await pendingOf(player)).toEqual([]);
  });

  test('stores keys in encrypted form and recovery codes as hashes', async () => {
    const player = await app.newPlayer();
    const { secret, recoveryCodes } = await turnOnMfa(app, player);
    const waiting = await app.newPlayer();
    const key = (await generate(waiting)).body.secret;
    for (const row of await pendingOf(waiting)) expect(row.key.toString('latin1')).not.toContain(key);
    const hashes = await app.db.selectFrom('recovery_codes').select('hash').execute();
    const kept = [(await world.factorOf(player))!.active!, ...hashes.map(({ hash }) => hash)];
    for (const bytes of kept)
      for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((c) => c.replaceAll('-', ''))])
        expect(bytes.toString('latin1')).not.toContain(text);
  });
});

describe('enable-2fa', () => {
  test('accepts the first code, returns ten recovery codes, ends other sessions and notifies the user by email', async () => {
    const player = await app.newPlayer();
    const expectEnd = await world.knownEverywhere(player);
    const { secret } = (await generate(player)).body;
    const answer = await enable(player, code(secret));
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ success: true, recoveryCodes: expect.any(Array) });
    expect(new Set(answer.body.recoveryCodes).size).toBe(10);
    expect(await isOn(player)).toBe(true);
    await expectEnd();
    expect(await world.liveSessionsOf(player)).toEqual([{ mfa_method: 'TOTP', mfa_at: expect.any(Date) }]);
    expect(await world.told(player, /turned on/)).not.toContain(secret);
    expect(outcome(await enable(player, code(secret)))).toBe('409 MFA_ALREADY_ENABLED');
    expect(outcome(await generate(player))).toBe('409 MFA_ALREADY_ENABLED');
  });

  test('rejects a session that ends while its code is verified, and leaves two-factor authentication off', async () => {
    const player = await app.newPlayer();
    const { secret } = (await generate(player)).body;
    const answer = await whileSessionsEnd(app, player.id, () => enable(player, code(secret)));
    expect(outcome(answer)).toBe('401 UNAUTHORIZED');
    expect(await world.factorOf(player)).toMatchObject({ active: null, enabled_at: null });
  });

  test('rejects a wrong code, and rejects every code when no key is pending or the key has expired', async () => {
    const player = await app.newPlayer();
    expect(outcome(await enable(player, '123456'))).toBe('409 MFA_NOT_PENDING');
    const { secret } = (await generate(player)).body;
    for (const wrong of [wrongCode(secret), '12345', 'abcdef', '01AB-23CD-45EF-67GH'])
      expect(outcome(await enable(player, wrong)), wrong).toBe('400 MFA_INVALID');
    await app.sql`update pending_factors set created_at = now() - make_interval(secs => ${app.config.MFA_PENDING_SECONDS + 1})
      where session_id in (select id from sessions where user_id = ${player.id})`.execute(app.db);
    expect(outcome(await enable(player, code(secret)))).toBe('409 MFA_NOT_PENDING');
    expect(await isOn(player)).toBe(false);
  });

  test('allows ten wrong codes in half an hour and rejects further ones', async () => {
    const player = await app.newPlayer();
    const { secret } = (await generate(player)).body;
    const guesses = Array.from({ length: 30 }, () => enable(player, wrongCode(secret)));
    const outcomes = (await Promise.all(guesses)).map(outcome);
    expect(outcomes.filter((o) => o === '400 MFA_INVALID')).toHaveLength(10);
    expect(outcomes.filter((o) => o === '429 RATE_LIMITED')).toHaveLength(20);
    const late = await enable(player, code(secret));
    expect(outcome(late)).toBe('429 RATE_LIMITED');
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(1700);
  });

  test('issues only one set of recovery codes when called 20 times concurrently', async () => {
    const player = await app.newPlayer();
    const { secret } = (await generate(player)).body;
    const answers = await Promise.all(Array.from({ length: 20 }, () => enable(player, code(secret))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(outcome(answer)).toMatch(/^(409 MFA_ALREADY_ENABLED|429 RATE_LIMITED)$/);
    const kept = await app.db
      .selectFrom('recovery_codes')
      .select('hash')
      .where('user_id', '=', player.id)
      .execute();
    expect(kept).toHaveLength(10);
  });
});
