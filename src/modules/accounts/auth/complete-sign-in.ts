import { randomBytes } from 'node:crypto';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { parseUserAgent } from '../../../platform/user-agent.ts';
import type { Mail } from '../../base/mail/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import type { UserRow } from '../../base/users/service.ts';
import type { Countries } from '../../compliance/countries/service.ts';
import { countTry, giveBack } from './attempts.ts';
import { authErrors } from './errors.ts';
import type { KnownDevices } from './known-devices.ts';
import { issueToken } from './one-time.ts';
import type { Device, Opening } from './open-session.ts';
import type { Sessions } from './sessions.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { SessionTokens } from './token-signer.ts';

/** The first factor was right and the second is required: POST /auth/verify-2fa takes the token. */
export type MfaChallenge = { token: string; requireMfa: true; provider: string; state: string };
/** What an MFA token carries. */
export type MfaPayload = { provider: string; state: string };

export type SignInCompletion = ReturnType<typeof createSignInCompletion>;

type Deps = {
  db: Db;
  config: Config;
  sessions: Sessions;
  mail: Mail;
  countries: Countries;
  devices: KnownDevices;
  signInLimits: SignInLimits;
};

/** The owner is warned after this many correct passwords without a second factor within the window. */
const SUSPICIOUS_CHALLENGES = 3;

/** The last step of every way to sign in, after the first factor was accepted and the account may be used. */
export const createSignInCompletion = (deps: Deps) => ({
  /**
   * Opens the session, gives the counted tries back, remembers the device and mails the owner if the device is new. Throws 401 if the
   * user has been banned, or their password changed, since the credentials were checked.
   */
  openSession: (tx: Tx, user: UserRow, device: Device, opening: Opening): Promise<SessionTokens> =>
    openSession(deps, tx, { user, device, opening }),

  /** Answers a session, or a challenge when the user has a second factor. */
  completeSignIn: (user: UserRow, device: Device, provider: string): Promise<SessionTokens | MfaChallenge> =>
    transaction(deps.db, async (tx) => {
      const now = await lockUnchanged(tx, user);
      return now.is_mfa_enabled
        ? challenge(deps, tx, { user: now, device, provider })
        : openSession(deps, tx, { user: now, device, opening: { provider } });
    }),
});

async function openSession(
  { sessions, devices, signInLimits, ...deps }: Deps,
  tx: Tx,
  { user, device, opening }: { user: UserRow; device: Device; opening: Opening },
): Promise<SessionTokens> {
  const now = await lockUnchanged(tx, user);
  const isKnown = devices.find(device.knownAs, now) !== undefined;
  if (opening.provider === 'password' && now.email) {
    const wasHalfway = opening.mfaMethod !== undefined;
    await signInLimits.succeeded(tx, { email: now.email, user: now, device }, { wasHalfway });
  }
  if (opening.mfaMethod) await giveBack(tx, [challengesOf(now)], 'all');
  const tokens = await sessions.open(tx, now.id, device, opening);
  if (!isKnown && now.last_login_at) await warnOfNewDevice(deps, tx, now, device);
  return { ...tokens, deviceCookie: devices.remember(device.knownAs, now) };
}

async function challenge(
  deps: Deps,
  tx: Tx,
  { user, device, provider }: { user: UserRow; device: Device; provider: string },
): Promise<MfaChallenge> {
  if (provider === 'password') {
    await warnOfChallenges(deps, tx, user);
    if (user.email) await deps.signInLimits.halfway(tx, { email: user.email, user, device });
  }
  const state = randomBytes(16).toString('base64url');
  const payload: MfaPayload = { provider, state };
  const lifeSeconds = deps.config.MFA_TOKEN_SECONDS;
  const token = await issueToken(tx, { purpose: 'MFA', userId: user.id, lifeSeconds, payload });
  return { token, requireMfa: true, provider, state };
}

async function warnOfNewDevice(
  { countries, mail }: Pick<Deps, 'countries' | 'mail'>,
  tx: Tx,
  { id, email, language }: UserRow,
  { ip, userAgent }: Device,
): Promise<void> {
  const { device, browser, os } = parseUserAgent(userAgent);
  const facts = { device, browser, os, country: countries.countryOf(ip) };
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
  if (now.banned_at || now.password_hash !== user.password_hash) throw authErrors.AUTH_INVALID_CREDENTIALS();
  return now;
}
