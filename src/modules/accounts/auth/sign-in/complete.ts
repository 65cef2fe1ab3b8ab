import { randomBytes } from 'node:crypto';
import { iso } from '../../../../platform/clock.ts';
import { knownCountryOfIp } from '../../../../platform/countries/geo.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { parseUserAgent } from '../../../../platform/net/user-agent.ts';
import { notify } from '../../../base/notifications/notify.ts';
import type { UserRow } from '../../../base/users/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { countTry, giveBack } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { authMessages } from '../messages.ts';
import { issueToken, readToken } from '../one-time-tokens.ts';
import { authErrors } from '../schemas.ts';
import { countRecoveryCodes, findFactor } from '../second-factor/queries.ts';
import type { Device, Opening, SessionTokens } from '../sessions/sessions.ts';

/** The payload of an MFA token. */
type MfaPayload = { provider: string; state: string };
type MfaMethod = 'TOTP' | 'PASSKEY' | 'RECOVERY';
/**
 * The response when the first factor was correct and the second one is required. The token is sent with a code to POST /auth/verify-2fa, or
 * with a passkey to POST /user/passkeys/second-factor.
 */
export type MfaChallenge = MfaPayload & { token: string; requireMfa: true; mfaMethods: MfaMethod[] };

/** A user who has proven the first factor, and the user's device. */
export type Accepted = { user: UserRow; device: Device };

/** The owner is warned after this number of correct passwords without a second factor within the window. */
const SUSPICIOUS_CHALLENGES = 3;

/** Opens a session after the first factor, or returns a second-factor challenge. Throws 403 USER_BANNED. */
export const completeSignIn = (
  deps: AuthDeps,
  { user, device }: Accepted,
  provider: string,
): Promise<SessionTokens | MfaChallenge> =>
  transaction(deps.db, async (tx) => {
    const accepted = { user: await lockUnchanged(tx, user), device };
    return accepted.user.is_mfa_enabled
      ? challenge(deps, tx, accepted, provider)
      : openForLocked(deps, tx, accepted, { provider });
  });

/**
 * Opens the session, subtracts the counted attempts, makes the device known, and emails the owner if the device is new. Throws 401 if the
 * password has changed since it was checked, and 403 USER_BANNED if the user is banned.
 */
export const openSession = async (
  deps: AuthDeps,
  tx: Tx,
  { user, device }: Accepted,
  opening: Opening,
): Promise<SessionTokens> =>
  openForLocked(deps, tx, { user: await lockUnchanged(tx, user), device }, opening);

/**
 * Finds the sign-in that waits for its second factor. Throws 401 UNAUTHORIZED if the token is unknown, used, expired or belongs to another
 * sign-in. The user then has to sign in again.
 */
export async function findPendingSignIn(
  db: Db,
  { token, provider, state }: { token: string; provider?: string | undefined; state?: string | undefined },
): Promise<{ userId: number; payload: MfaPayload }> {
  const found = await readToken<MfaPayload>(db, 'MFA', token);
  const isOther =
    (provider ?? found?.payload.provider) !== found?.payload.provider ||
    (state ?? found?.payload.state) !== found?.payload.state;
  if (!found?.userId || isOther) throw commonErrors.UNAUTHORIZED();
  return { userId: found.userId, payload: found.payload };
}

/** Opens the session. The user must be locked (`lockUnchanged`). */
async function openForLocked(
  { sessions, knownDevices, signInLimits, mail }: AuthDeps,
  tx: Tx,
  { user, device }: Accepted,
  opening: Opening,
): Promise<SessionTokens> {
  const isKnown = knownDevices.find(device.knownAs, user) !== undefined;
  if (opening.provider === 'password' && user.email) {
    const wasHalfway = opening.mfaMethod !== undefined;
    await signInLimits.succeeded(tx, { email: user.email, user, device }, { wasHalfway });
  }
  if (opening.mfaMethod) await giveBack(tx, [challengesOf(user)], 'all');
  const tokens = await sessions.open(tx, user.id, device, opening);
  if (!isKnown && user.last_login_at) await warnOfNewDevice({ mail }, tx, user, device);
  return { ...tokens, deviceCookie: knownDevices.remember(device.knownAs, user) };
}

/** Creates the second-factor challenge. The user must be locked (`lockUnchanged`). */
async function challenge(
  deps: AuthDeps,
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
  { mail }: Pick<AuthDeps, 'mail'>,
  tx: Tx,
  { id, email, language }: UserRow,
  { ip, userAgent }: Device,
): Promise<void> {
  const { device, browser, os } = parseUserAgent(userAgent);
  const facts = { device, browser, os, country: knownCountryOfIp(ip) };
  await notify(tx, id, authMessages['security.new-device'], facts);
  if (!email) return;
  const data = { ...facts, ip, at: iso(new Date()) };
  await mail.send(tx, { to: email, language, template: 'new-device', data });
}

/** Warns the owner that someone who does not have the second factor may know the password. */
async function warnOfChallenges({ config, mail }: AuthDeps, tx: Tx, user: UserRow): Promise<void> {
  const { tries } = await countTry(tx, challengesOf(user), config.SIGN_IN_WINDOW_MINUTES * 60);
  if (tries !== SUSPICIOUS_CHALLENGES) return;
  await notify(tx, user.id, authMessages['security.sign-in-failures'], {});
  if (!user.email) return;
  const data = { at: iso(new Date()), resetLink: `${config.SITE_URL}/#forgot-password` };
  const { email: to, language } = user;
  await mail.send(tx, { to, language, template: 'sign-in-failures', data });
}

/** Returns the key under which correct passwords without a second factor are counted. */
const challengesOf = (user: UserRow) => `mfa-missing:${user.id}`;

/**
 * Returns the current user, locked. Changing a password or banning a user updates this row before it ends their sessions, so a sign-in
 * that began earlier cannot open a session afterwards.
 */
async function lockUnchanged(tx: Tx, user: UserRow): Promise<UserRow> {
  const current = await tx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', user.id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (current.is_bot || current.password_hash !== user.password_hash)
    throw authErrors.AUTH_INVALID_CREDENTIALS();
  // The caller has proven the first factor, so the reason why no session is opened may be revealed.
  if (current.banned_at) throw gateErrors.USER_BANNED();
  return current;
}
