import { describe, expect, test } from 'vitest';
import {
  forgetTries,
  halfSignedIn,
  outcome,
  type Protected,
  protectedAccount,
  verify,
} from '../../../../../test/kit/accounts/second-factor.ts';
import { code, STEP_MS, turnOnMfa, wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { inParallel } from '../../../../../test/kit/http/requests.ts';

/** The timeouts are long, so that the tests do not fail on a busy machine. */
const PATIENT = { DATABASE_CONNECT_TIMEOUT_MS: '30000', DATABASE_STATEMENT_TIMEOUT_MS: '30000' };

const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: { ...outside.env, ...PATIENT } }));
const two = fixture(() => startApp({ database: app.database, env: { ...outside.env, ...PATIENT } }));

const sessionsOf = async ({ id }: Protected) =>
  (await app.db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()).length;
const account = () => protectedAccount(app, outside.solve);
const halfIn = ({ id }: Protected, lifeSeconds?: number) => halfSignedIn(app, id, lifeSeconds);
const stepNow = () => Math.floor(Date.now() / STEP_MS);
/** Repeats the work if the time step changed during the work. */
async function withinOneStep(work: () => Promise<void>): Promise<void> {
  for (;;) {
    const step = stepNow();
    const done = await work().then(
      () => undefined,
      (error) => ({ error }),
    );
    if (stepNow() !== step) continue;
    if (done) throw done.error;
    return;
  }
}

describe('guessing codes', () => {
  test('allows five guesses per sign-in token across concurrent calls and two processes', async () => {
    const user = await account();
    const token = await halfIn(user);
    const guess = wrongCode(user.factor.secret);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => verify(i % 2 ? app : two, { token, mfaCode: guess })),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((o) => o === '400 MFA_INVALID')).toHaveLength(5);
    expect(outcomes.filter((o) => o === '429 RATE_LIMITED')).toHaveLength(95);
    const late = await verify(app, { token, mfaCode: await user.factor.code() });
    expect(outcome(late)).toBe('429 RATE_LIMITED');
    const wait = Number(late.headers.get('retry-after'));
    expect([wait > 200, wait <= 300]).toEqual([true, true]);
    expect((await verify(app, { token: await halfIn(user), mfaCode: await user.factor.code() })).status).toBe(
      200,
    );
  });

  test('checks only ten of 1,000 codes in half an hour when every call uses a new token, and opens no session', async () => {
    const user = await account();
    await forgetTries(app, user);
    const before = await sessionsOf(user);
    const tokens = await inParallel(Array.from({ length: 200 }), () => halfIn(user));
    const right = [-1, 0, 1, 2].map((steps) => code(user.factor.secret, Date.now() + steps * STEP_MS));
    const guesses = Array.from({ length: 1000 }, (_, i) => String(i * 997).padStart(6, '0'));
    const outcomes = await inParallel(
      guesses.filter((guess) => !right.includes(guess)),
      async (mfaCode) => outcome(await verify(app, { token: tokens[Number(mfaCode) % 200]!, mfaCode })),
      100,
    );
    expect(new Set(outcomes)).toEqual(new Set(['400 MFA_INVALID', '429 RATE_LIMITED']));
    expect(outcomes.filter((o) => o === '400 MFA_INVALID')).toHaveLength(10);
    const late = await verify(app, { token: await halfIn(user), mfaCode: await user.factor.code() });
    expect(outcome(late)).toBe('429 RATE_LIMITED');
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(1700);
    expect(await sessionsOf(user)).toBe(before);
    await app.sql`update attempts set expires_at = now() where key = ${`mfa:user:${user.id}`}`.execute(
      app.db,
    );
    expect((await verify(app, { token: await halfIn(user), mfaCode: await user.factor.code() })).status).toBe(
      200,
    );
  });

  test('does not count valid codes as guesses', async () => {
    const user = await account();
    for (let i = 0; i < 12; i++) {
      const answer = await verify(app, { token: await halfIn(user), mfaCode: await user.factor.code() });
      expect(outcome(answer)).toBe('200');
    }
  });
});

describe('single use of codes', () => {
  test('opens only one session when 50 tokens are used with the same code concurrently in two processes', async () => {
    const user = await account();
    const before = await sessionsOf(user);
    const tokens = await Promise.all(Array.from({ length: 50 }, () => halfIn(user)));
    const mfaCode = await user.factor.code();
    const answers = await Promise.all(
      tokens.map((token, i) => verify(i % 2 ? app : two, { token, mfaCode })),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((o) => o === '200')).toHaveLength(1);
    for (const other of outcomes.filter((o) => o !== '200'))
      expect(other).toMatch(/^(400 MFA_INVALID|429 RATE_LIMITED)$/);
    expect(await sessionsOf(user)).toBe(before + 1);
    await forgetTries(app, user);
    expect(outcome(await verify(app, { token: await halfIn(user), mfaCode }))).toBe('400 MFA_INVALID');
  });

  test('opens only one session when 50 calls use the same code, even without rate limits', async () => {
    const user = await account();
    const mfaCode = await user.factor.code();
    const before = await sessionsOf(user);
    const outcomes: string[] = [];
    for (let round = 0; round < 5; round++) {
      // The limits are reset, so that only the check of the time step prevents the reuse of the code.
      await forgetTries(app, user);
      const tokens = await Promise.all(Array.from({ length: 10 }, () => halfIn(user)));
      const answers = tokens.map((token, i) => verify(i % 2 ? app : two, { token, mfaCode }));
      outcomes.push(...(await Promise.all(answers)).map(outcome));
    }
    expect(outcomes.filter((o) => o === '200')).toHaveLength(1);
    expect(outcomes.filter((o) => o === '400 MFA_INVALID')).toHaveLength(49);
    expect(await sessionsOf(user)).toBe(before + 1);
  });

  test('accepts the codes of the previous, current and next time step, but no code that was already used or is older than a used one', async () => {
    const user = await account();
    const { secret } = user.factor;
    const attempt = async (steps: number) => {
      await forgetTries(app, user);
      const mfaCode = code(secret, Date.now() + steps * STEP_MS);
      return outcome(await verify(app, { token: await halfIn(user), mfaCode }));
    };
    const GOOD = '200';
    const BAD = '400 MFA_INVALID';
    await withinOneStep(async () => {
      await user.factor.code();
      const seen: string[] = [];
      for (const steps of [-2, 2, -1, -1, -2, 0, 0, -1, 1, 1, 0, -1, 2]) seen.push(await attempt(steps));
      expect(seen).toEqual([BAD, BAD, GOOD, BAD, BAD, GOOD, BAD, BAD, GOOD, BAD, BAD, BAD, BAD]);
    });
  });

  test('rejects a code of a replaced secret', async () => {
    const user = await account();
    const old = user.factor.secret;
    expect((await user.call('POST', '/user/disable-2fa')).status).toBe(201);
    const factor = await turnOnMfa(app, user);
    await factor.code();
    const token = await halfIn(user);
    expect(outcome(await verify(app, { token, mfaCode: code(old) }))).toBe('400 MFA_INVALID');
    expect((await verify(app, { token, mfaCode: await factor.code() })).status).toBe(200);
  });

  test('rejects all codes from when the clock is set back until it catches up, but accepts a recovery code', async () => {
    const user = await account();
    const ahead = BigInt(stepNow() + 10);
    await app.db
      .updateTable('mfa_secrets')
      .set({ last_step: ahead })
      .where('user_id', '=', user.id)
      .execute();
    const token = await halfIn(user);
    for (const steps of [-1, 0, 1, 10])
      expect(
        outcome(
          await verify(app, { token, mfaCode: code(user.factor.secret, Date.now() + steps * STEP_MS) }),
        ),
      ).toBe('400 MFA_INVALID');
    expect((await verify(app, { token, mfaCode: user.factor.recoveryCodes[0] })).status).toBe(200);
  });
});
