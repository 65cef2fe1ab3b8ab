import { beforeAll, describe, expect, test } from 'vitest';
import {
  halfSignedIn,
  outcome,
  type Protected,
  protectedAccount,
  startFactorWorld,
  verify,
} from '../../../../../test/kit/accounts/second-factor.ts';
import { signed } from '../../../../../test/kit/accounts/sign-in.ts';
import { wrongCode } from '../../../../../test/kit/accounts/totp.ts';
import { type Answer, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { announceUserChange } from '../../../base/users/service.ts';
import { issueToken } from '../one-time-tokens.ts';

let app: TestApp;
const world = fixture(startFactorWorld);
beforeAll(async () => {
  app = world.app;
});

const sessionsOf = async ({ id }: Protected) =>
  (await app.db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()).length;
const account = () => protectedAccount(app, world.outside.solve);
const halfIn = ({ id }: Protected, lifeSeconds?: number) => halfSignedIn(app, id, lifeSeconds);
async function challenge({ email, password }: Protected) {
  const answer = await app.call('POST', '/auth/sign-in', {
    body: { email, password },
    headers: { 'x-captcha-token': await world.outside.solve() },
  });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.headers.getSetCookie().filter((c) => /token=./.test(c))).toEqual([]);
  expect(answer.body).toEqual({
    requireMfa: true,
    token: expect.stringMatching(/^mfa_[\w-]{43}$/),
    provider: 'password',
    state: expect.stringMatching(/^[\w-]{22}$/),
    mfaMethods: ['TOTP', 'RECOVERY'],
  });
  return answer.body as { token: string; provider: string; state: string };
}
describe('verify-2fa', () => {
  test('completes a sign-in with tokens, cookies and a session whose second factor is verified', async () => {
    const user = await account();
    const { token, provider, state } = await challenge(user);
    const answer = await verify(app, { token, provider, state, mfaCode: await user.factor.code() });
    expect(answer.status).toBe(200);
    const { access, userId } = signed(answer);
    expect(userId).toBe(user.id);
    const names = answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['__Host-access_token', '__Host-refresh_token']));
    const me = await app.call('GET', '/user/me', { token: access });
    expect(me.body).toMatchObject({ id: user.id, mfaEnabled: true });
    expect((await app.call('POST', '/user/disable-2fa', { token: access })).status).toBe(201);
  });

  test('accepts a recovery code once and notifies the user', async () => {
    const user = await account();
    const [first] = user.factor.recoveryCodes;
    const { token } = await challenge(user);
    const answer = await verify(app, { token, mfaCode: first!.toLowerCase().replaceAll('-', ' ') });
    const { access } = signed(answer);
    expect((await world.outside.waitForMail(user.email, /recovery code was used/i)).text).not.toContain(
      first!,
    );
    expect(outcome(await verify(app, { token: await halfIn(user), mfaCode: first }))).toBe('400 MFA_INVALID');
    expect((await app.call('POST', '/user/reset-2fa', { token: access })).status).toBe(201);
  });

  test('rejects the sign-in when the password changes while the code is being checked', async () => {
    const user = await account();
    const before = await sessionsOf(user);
    const body = { token: await halfIn(user), mfaCode: await user.factor.code() };
    let answer: Promise<Answer> | undefined;
    await transaction(app.db, async (tx) => {
      await tx.updateTable('users').set({ password_hash: 'another' }).where('id', '=', user.id).execute();
      answer = verify(app, body);
      await expect.poll(waiting).toBe(1);
    });
    expect(outcome((await answer)!)).toBe('401 AUTH_INVALID_CREDENTIALS');
    expect(await sessionsOf(user)).toBe(before);
  });
  /** Counts the connections that wait for a row lock of another transaction. */
  const waiting = async () => {
    const { rows } = await app.sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db);
    return rows[0]!.n;
  };

  test('opens only one session when 20 sign-ins use the same recovery code concurrently', async () => {
    const user = await account();
    const before = await sessionsOf(user);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => halfIn(user)));
    const answers = await Promise.all(
      tokens.map((token, i) =>
        verify(i % 2 ? app : world.two, { token, mfaCode: user.factor.recoveryCodes[0] }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await sessionsOf(user)).toBe(before + 1);
  });

  test('rejects unknown, used, expired and mismatched tokens with 401', async () => {
    const [user, other] = [await account(), await account()];
    const { token, provider, state } = await challenge(user);
    const mfaCode = await user.factor.code();
    for (const body of [
      { token: `mfa_${'x'.repeat(43)}` },
      { token: 'x' },
      { token, provider: 'google' },
      { token, provider, state: 'another' },
      { token, state: '' },
      { token: await halfIn(user, -1) },
      { token: await issueToken(app.db, { purpose: 'RESET_PASSWORD', userId: user.id, lifeSeconds: 60 }) },
    ])
      expect(outcome(await verify(app, { mfaCode, ...body })), JSON.stringify(body)).toBe('401 UNAUTHORIZED');
    const foreign = await halfIn(other);
    expect(outcome(await verify(app, { token: foreign, mfaCode }))).toBe('400 MFA_INVALID');
    expect((await verify(app, { token, provider, state, mfaCode })).status).toBe(200);
    expect(outcome(await verify(app, { token, mfaCode: await user.factor.code() }))).toBe('401 UNAUTHORIZED');
  });

  test('reports a ban only after the first factor, and rejects a sign-in whose first factor has since changed', async () => {
    const banned = await account();
    const { token } = await challenge(banned);
    await transaction(app.db, async (tx) => {
      await tx.updateTable('users').set({ banned_at: new Date() }).where('id', '=', banned.id).execute();
      await announceUserChange(tx, banned.id);
    });
    expect(outcome(await verify(app, { token, mfaCode: await banned.factor.code() }))).toBe(
      '403 USER_BANNED',
    );

    const changed = await account();
    const early = await challenge(changed);
    expect((await changed.call('POST', '/user/disable-2fa')).status).toBe(201);
    expect(
      outcome(await verify(app, { token: early.token, mfaCode: changed.factor.recoveryCodes[0]! })),
    ).toBe('401 UNAUTHORIZED');
  });

  test('rejects invalid fields with 400 and names the field', async () => {
    const good = { token: await halfSignedIn(app, 1), mfaCode: '123456' };
    for (const [field, values] of [
      ['token', [undefined, null, '', 7, 'x'.repeat(129)]],
      ['mfaCode', [undefined, null, '', 123456, 'x'.repeat(65)]],
      ['provider', [null, 7, 'x'.repeat(65)]],
      ['state', [null, 7, 'x'.repeat(513)]],
      ['userId', [1]],
    ] as const)
      for (const value of values) {
        const answer = await verify(app, { ...good, [field]: value });
        expect(outcome(answer), `${field} ${value}`).toBe('400 VALIDATION_FAILED');
        expect(answer.body.details.fields[0].path).toBe(field);
      }
  });
});

test('keeps secrets, recovery codes and tokens out of logs, responses and stored rows', async () => {
  const talkative = await startApp({
    database: app.database,
    env: { ...world.outside.env, LOG_LEVEL: 'trace' },
  });
  const user = await account();
  const texts: string[] = [];
  const keep = async (answer: Promise<Answer>) => texts.push((await answer).text);
  const { token } = await challenge(user);
  const mfaCode = wrongCode(user.factor.secret);
  await keep(verify(talkative, { token, mfaCode }));
  await keep(verify(talkative, { token, mfaCode, state: 'another' }));
  await keep(verify(talkative, { token, mfaCode: user.factor.recoveryCodes[1], more: 1 }));
  await keep(user.call('POST', '/user/reset-2fa', { body: { recoveryCode: 'no such code' } }));
  await keep(user.call('GET', '/user/me'));
  const signedIn = await verify(talkative, { token, mfaCode: user.factor.recoveryCodes[1] });
  await keep(talkative.call('GET', '/user/me', { token: signed(signedIn).access }));
  for (const table of ['one_time_tokens', 'attempts', 'recovery_codes', 'mfa_secrets', 'sessions', 'users'])
    texts.push(
      JSON.stringify((await app.sql`select t::text from ${app.sql.table(table)} t`.execute(app.db)).rows),
    );
  texts.push(...talkative.lines, ...app.lines);
  for (const canary of [token, user.factor.secret, ...user.factor.recoveryCodes])
    expect(
      texts.filter((text) => text.includes(canary) || text.includes(canary.replaceAll('-', ''))),
    ).toEqual([]);
  await talkative.stop();
});
