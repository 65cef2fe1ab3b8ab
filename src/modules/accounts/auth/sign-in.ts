import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { parseUserAgent } from '../../../platform/user-agent.ts';
import { notify } from '../../base/notifications/notify.ts';
import { findUserByEmail, isShut, type UserRow } from '../../base/users/service.ts';
import { countTry, giveBack } from './attempts.ts';
import type { AuthDeps } from './deps.ts';
import { authErrors } from './errors.ts';
import type { KnownDevices } from './known-devices.ts';
import { countRecoveryCodes, findFactor } from './mfa/queries.ts';
import { issueToken } from './one-time.ts';
import type { Passwords } from './passwords.ts';
import type { SignIn } from './schemas.ts';
import type { Device, Opening, Sessions, SessionTokens } from './sessions.ts';
import type { SignInLimits } from './sign-in-limits.ts';

/** What an MFA token carries. */
export type MfaPayload = { provider: string; state: string };
/** What a sign-in may be completed with: a code of the app, a passkey, a recovery code. */
export type MfaMethod = 'TOTP' | 'PASSKEY' | 'RECOVERY';
/**
 * The first factor was right and the second is required: POST /auth/verify-2fa takes the token with a code, POST
 * /user/passkeys/second-factor with a passkey.
 */
export type MfaChallenge = MfaPayload & { token: string; requireMfa: true; mfaMethods: MfaMethod[] };

export type SignIns = ReturnType<typeof createSignIns>;

type Deps = AuthDeps & {
  sessions: Sessions;
  passwords: Passwords;
  devices: KnownDevices;
  signInLimits: SignInLimits;
};
type Accepted = { user: UserRow; device: Device };

/** The owner is warned after this many correct passwords without a second factor within the window. */
const SUSPICIOUS_CHALLENGES = 3;

/** Signing in with a password, and the last step of every other way to sign in. */
export const createSignIns = (deps: Deps) => ({
  signIn: (input: z.output<typeof SignIn>, device: Device) => signIn(deps, input, device),

  /** After the first factor was accepted: opens a session, or returns a challenge when the user has a second factor. */
  completeSignIn: (user: UserRow, device: Device, provider: string) =>
    completeSignIn(deps, { user, device }, provider),

  /**
   * Opens the session, gives the counted tries back, remembers the device and mails the owner if the device is new. Throws 401 if the
   * user has been banned, or their password changed, since the credentials were checked.
   */
  openSession: async (tx: Tx, user: UserRow, device: Device, opening: Opening): Promise<SessionTokens> =>
    openSession(deps, tx, { user: await lockUnchanged(tx, user), device }, opening),
});

async function signIn(
  deps: Deps,
  { email, password }: z.output<typeof SignIn>,
  device: Device,
): Promise<SessionTokens | MfaChallenge> {
  const { db, countries, passwords, signInLimits } = deps;
  countries.assertAllowed(device.ip);
  const user = await findUserByEmail(db, email);
  const attempt = { email, user, device };
  await signInLimits.take(attempt);
  const matches = await passwords.verify(password, user?.password_hash).catch(async (error: unknown) => {
    await signInLimits.untaken(attempt);
    throw error;
  });
  if (!user || !matches || isShut(user)) {
    await signInLimits.failed(attempt);
    throw authErrors.AUTH_INVALID_CREDENTIALS();
  }
  return completeSignIn(deps, { user, device }, 'password');
}

const completeSignIn = (
  deps: Deps,
  { user, device }: Accepted,
  provider: string,
): Promise<SessionTokens | MfaChallenge> =>
  transaction(deps.db, async (tx) => {
    const accepted = { user: await lockUnchanged(tx, user), device };
    return accepted.user.is_mfa_enabled
      ? challenge(deps, tx, accepted, provider)
      : openSession(deps, tx, accepted, { provider });
  });

/** The user must be locked (`lockUnchanged`). */
async function openSession(
  { sessions, devices, signInLimits, ...deps }: Deps,
  tx: Tx,
  { user, device }: Accepted,
  opening: Opening,
): Promise<SessionTokens> {
  const isKnown = devices.find(device.knownAs, user) !== undefined;
  if (opening.provider === 'password' && user.email) {
    const wasHalfway = opening.mfaMethod !== undefined;
    await signInLimits.succeeded(tx, { email: user.email, user, device }, { wasHalfway });
  }
  if (opening.mfaMethod) await giveBack(tx, [challengesOf(user)], 'all');
  const tokens = await sessions.open(tx, user.id, device, opening);
  if (!isKnown && user.last_login_at) await warnOfNewDevice(deps, tx, user, device);
  return { ...tokens, deviceCookie: devices.remember(device.knownAs, user) };
}

/** The user must be locked (`lockUnchanged`). */
async function challenge(
  deps: Deps,
  tx: Tx,
  { user, device }: Accepted,
  provider: string,
): Promise<MfaChallenge> {
  if (provider === 'password') {
    await warnOfChallenges(deps, tx, user);
    if (user.email) await deps.signInLimits.halfway(tx, { email: user.email, user, device });
  }
  const state = randomBytes(16).toString('base64url');
  const payload: MfaPayload = { provider, state };
  const lifeSeconds = deps.config.MFA_TOKEN_SECONDS;
  const token = await issueToken(tx, { purpose: 'MFA', userId: user.id, lifeSeconds, payload });
  return { token, requireMfa: true, provider, state, mfaMethods: await methodsOf(tx, user.id) };
}

async function methodsOf(tx: Tx, userId: number): Promise<MfaMethod[]> {
  const factor = await findFactor(tx, userId);
  const recoveryCodes = await countRecoveryCodes(tx, userId);
  const methods = { TOTP: factor?.active != null, PASSKEY: factor?.passkeys, RECOVERY: recoveryCodes };
  return (['TOTP', 'PASSKEY', 'RECOVERY'] as const).filter((method) => methods[method]);
}

async function warnOfNewDevice(
  { mail }: Pick<Deps, 'mail'>,
  tx: Tx,
  { id, email, language }: UserRow,
  { ip, userAgent }: Device,
): Promise<void> {
  const { device, browser, os } = parseUserAgent(userAgent);
  const facts = { device, browser, os, country: countryOfIp(ip) };
  await notify(tx, id, 'security.new-device', facts);
  if (!email) return;
  const data = { ...facts, ip, at: iso(new Date()) };
  await mail.send(tx, { to: email, language, template: 'new-device', data });
}

/** Warns the owner that somebody seems to know the password without having the second factor. */
async function warnOfChallenges({ config, mail }: Deps, tx: Tx, user: UserRow): Promise<void> {
  const { tries } = await countTry(tx, challengesOf(user), config.SIGN_IN_WINDOW_MINUTES * 60);
  if (tries !== SUSPICIOUS_CHALLENGES) return;
  await notify(tx, user.id, 'security.sign-in-failures', {});
  if (!user.email) return;
  const data = { at: iso(new Date()), resetLink: `${config.SITE_URL}/#forgot-password` };
  const { email: to, language } = user;
  await mail.send(tx, { to, language, template: 'sign-in-failures', data });
}

/** The key under which correct passwords without a second factor are counted. */
const challengesOf = (user: UserRow) => `mfa-missing:${user.id}`;

/**
 * The user as they are now, locked. Changing a password or banning a user updates this row before it ends their sessions, so a sign-in
 * that began earlier cannot open a session afterwards.
 */
async function lockUnchanged(tx: Tx, user: UserRow): Promise<UserRow> {
  const now = await tx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', user.id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (isShut(now) || now.password_hash !== user.password_hash) throw authErrors.AUTH_INVALID_CREDENTIALS();
  return now;
}
