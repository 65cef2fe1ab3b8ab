import { expect } from 'vitest';
import { issueToken } from '../../../src/modules/accounts/auth/one-time-tokens.ts';
import { type Answer, type Player, startApp, type TestApp } from '../app.ts';
import { startMailWorker } from '../backoffice/mail.ts';
import { startOutside } from '../http/outside.ts';
import { signInAgain } from '../http/requests.ts';
import { newcomer, signed } from './sign-in.ts';
import { turnOnMfa } from './totp.ts';

type Caller = Pick<Player, 'id' | 'call'>;
/** Returns the status of a response, followed by the error code if the call failed. */
export const outcome = ({ status, body }: Answer): string =>
  status < 400 ? `${status}` : `${status} ${body?.code}`;

export const generate = ({ call }: Caller) => call('GET', '/user/generate-2fa');
export const enable = ({ call }: Caller, mfaCode: string) =>
  call('POST', '/user/enable-2fa', { body: { mfaCode } });
export const disable = ({ call }: Caller, body?: object) => call('POST', '/user/disable-2fa', { body });
export const reset = ({ call }: Caller, body?: object) => call('POST', '/user/reset-2fa', { body });
export const verify = ({ call }: Pick<TestApp, 'call'>, body: object) =>
  call('POST', '/auth/verify-2fa', { body });
export const isOn = async ({ call }: Caller) => (await call('GET', '/user/me')).body.mfaEnabled as boolean;

export type Protected = Awaited<ReturnType<typeof protectedAccount>>;

/** Creates a user with a password and a second factor. The returned `call` uses the session that enabled the factor. */
export async function protectedAccount(app: TestApp, solve: () => Promise<string>) {
  const user = newcomer();
  const headers = { 'x-captcha-token': await solve() };
  const { access: token, userId: id } = signed(
    await app.call('POST', '/auth/sign-up', { body: user, headers }),
  );
  const call: Player['call'] = (method, path, o = {}) => app.call(method, path, { token, ...o });
  return { ...user, id, call, factor: await turnOnMfa(app, { id, call }) };
}

/** Issues the token of a sign-in with a correct password, without the cost of hashing the password. */
export const halfSignedIn = ({ db }: Pick<TestApp, 'db'>, userId: number, lifeSeconds = 300) =>
  issueToken(db, {
    purpose: 'MFA',
    userId,
    lifeSeconds,
    payload: { provider: 'password', state: 'a state' },
  });

/** Sets the time at which a user's sessions verified their second factor to this many seconds ago. */
export const proved = (
  { db, sql }: Pick<TestApp, 'db' | 'sql'>,
  { id }: Pick<Player, 'id'>,
  seconds: number,
  method: 'TOTP' | 'RECOVERY' = 'TOTP',
) =>
  sql`update sessions set mfa_at = now() - make_interval(secs => ${seconds}), mfa_method = ${method}
    where user_id = ${id}`.execute(db);

/** Deletes a user's failed attempts, as if half an hour had passed. */
export const forgetTries = ({ db }: Pick<TestApp, 'db'>, { id }: Pick<Player, 'id'>) =>
  db
    .deleteFrom('attempts')
    .where((eb) => eb.or([eb('key', '=', `mfa:user:${id}`), eb('key', 'like', `mfa:user:${id}:%`)]))
    .execute();

/** Starts two processes on one database and an email worker. Returns helpers for checks after a second factor has changed. */
export async function startFactorWorld() {
  const outside = await startOutside();
  const app = await startApp({ env: outside.env });
  const two = await startApp({ database: app.database, env: outside.env });
  const worker = startMailWorker(app);
  const statusOf = async (token: string, where: TestApp) =>
    (await where.call('GET', '/user/me', { token })).status;
  return {
    outside,
    app,
    two,
    statusOf,
    /** Opens a session that every process has cached. The returned function expects that the session ends in all of them. */
    async knownEverywhere(player: Player) {
      const { token } = await signInAgain(app, player);
      for (const where of [app, two]) expect(await statusOf(token, where)).toBe(200);
      return async () => {
        for (const where of [app, two]) await expect.poll(() => statusOf(token, where)).toBe(401);
      };
    },
    /** Waits for the user's email that contains these words. Returns its text. */
    async told({ username }: Player, words: RegExp) {
      const mail = await outside.waitForMail(`${username}@test.example`, ({ text }) => words.test(text));
      return mail.text;
    },
    factorOf: ({ id }: Player) =>
      app.db.selectFrom('mfa_secrets').selectAll().where('user_id', '=', id).executeTakeFirst(),
    liveSessionsOf: ({ id }: Player) =>
      app.db
        .selectFrom('sessions')
        .select(['mfa_method', 'mfa_at'])
        .where('user_id', '=', id)
        .where('revoked_at', 'is', null)
        .execute(),
    async stop() {
      await worker.close();
      await two.stop();
      await app.stop();
      await outside.close();
    },
  };
}
