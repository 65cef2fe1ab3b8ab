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
import type { Device, Opening, Sessions, SessionTokens } from './sessions.ts';
import type { SignInLimits } from './sign-in-limits.ts';

/** The first factor was right, the second is due: POST /auth/verify-2fa takes the token. */
export type MfaChallenge = { token: string; requireMfa: true; provider: string; state: string };
/** What an MFA token carries. */
export type MfaPayload = { provider: string; state: string };

export type Finish = ReturnType<typeof createFinish>;

type Deps = {
  db: Db;
  config: Config;
  sessions: Sessions;
  mail: Mail;
  countries: Countries;
  devices: KnownDevices;
  limits: SignInLimits;
};

/** Right passwords without the second factor within the window, after which the owner hears of it. */
const SUSPICIOUS = 3;

/** The last step of every way to sign in, once the first factor was right and the account may be used. */
export function createFinish({ db, config, sessions, mail, countries, devices, limits }: Deps) {
  /**
   * Opens the session and does what every new session brings with it: tries given back, the device known from now on, a mail
   * when it was not. Throws 401 when the user was banned, or his password changed, since it was checked.
   */
  const open = async (tx: Tx, user: UserRow, device: Device, opening: Opening): Promise<SessionTokens> => {
    const now = await lockUnchanged(tx, user);
    const isKnown = devices.find(device.knownAs, now) !== undefined;
    if (opening.provider === 'password' && now.email)
      await limits.succeeded(
        tx,
        { email: now.email, user: now, device },
        { wasHalfway: opening.mfaMethod !== undefined },
      );
    if (opening.mfaMethod) await giveBack(tx, [suspicionOf(now)], 'all');
    const tokens = await sessions.open(tx, now.id, device, opening);
    if (!isKnown && now.last_login_at) await tellOwner(tx, now, device);
    return { ...tokens, deviceCookie: devices.remember(device.knownAs, now) };
  };

  const tellOwner = async (tx: Tx, { id, email, language }: UserRow, { ip, userAgent }: Device) => {
    const { device, browser, os } = parseUserAgent(userAgent);
    const facts = { device, browser, os, country: countries.countryOf(ip) };
    await notify(tx, id, 'security.new-device', facts);
    if (!email) return;
    const data = { ...facts, ip, at: iso(new Date()) };
    await mail.send(tx, { to: email, language, template: 'new-device', data });
  };

  /** Three right passwords and no second factor: somebody knows the password and does not have the phone. */
  const suspect = async (tx: Tx, user: UserRow) => {
    const { tries } = await countTry(tx, suspicionOf(user), config.SIGN_IN_WINDOW_MINUTES * 60);
    if (tries !== SUSPICIOUS) return;
    await notify(tx, user.id, 'security.sign-in-failures', {});
    if (!user.email) return;
    const data = { at: iso(new Date()), resetLink: `${config.SITE_URL}/#forgot-password` };
    const { email: to, language } = user;
    await mail.send(tx, { to, language, template: 'sign-in-failures', data });
  };

  const challenge = async (
    tx: Tx,
    user: UserRow,
    { device, provider }: { device: Device; provider: string },
  ): Promise<MfaChallenge> => {
    if (provider === 'password') await suspect(tx, user);
    if (provider === 'password' && user.email) await limits.halfway(tx, { email: user.email, user, device });
    const state = randomBytes(16).toString('base64url');
    const payload: MfaPayload = { provider, state };
    const lifeSeconds = config.MFA_TOKEN_SECONDS;
    const token = await issueToken(tx, { purpose: 'MFA', userId: user.id, lifeSeconds, payload });
    return { token, requireMfa: true, provider, state };
  };

  return {
    open,

    /** A session, or the challenge of the second factor when the user has one. */
    signIn: (user: UserRow, device: Device, provider: string): Promise<SessionTokens | MfaChallenge> =>
      transaction(db, async (tx) => {
        const now = await lockUnchanged(tx, user);
        return now.is_mfa_enabled
          ? challenge(tx, now, { device, provider })
          : open(tx, now, device, { provider });
      }),
  };
}

const suspicionOf = (user: UserRow) => `mfa-missing:${user.id}`;

/**
 * The user as he is now, under his lock: whoever changes a password or bans does it before ending sessions, so that a
 * sign-in that began before cannot outlive it.
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
