import { sql } from 'kysely';
import { type Tx, transaction } from '../../../../platform/db.ts';
import { hashToken } from '../../../../platform/encryption.ts';
import { findUserByEmail, getUser, isShut, type UserRow } from '../../../base/users/service.ts';
import { assertTry, takeTry } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import type { KnownDevices } from '../known-devices.ts';
import { issueLink, type LinkPayload, lockAddressee, takeToken } from '../one-time.ts';
import type { Device, Sessions } from '../sessions.ts';
import type { SignInLimits } from '../sign-in-limits.ts';
import { noteProven } from './take-over.ts';

export type Emails = ReturnType<typeof createEmails>;

type Deps = AuthDeps & {
  devices: KnownDevices;
  sessions: Sessions;
  signInLimits: SignInLimits;
  /** Has the welcome promotion looked for that fits a player now. */
  queueWelcomeBonus: (tx: Tx, userId: number) => Promise<void>;
};

const HOUR = 3600;
const REQUESTS_PER_HOUR = 3;

/** Mails about the address of an account: verifying it, and that it is taken. */
export const createEmails = (deps: Deps) => ({
  /** Sends the link that verifies the address, in the caller's transaction. */
  sendLink: (tx: Tx, user: UserRow) => sendLink(deps, tx, user),

  /** Sends another link; nothing when the address is verified. Throws 429 after the third within an hour. */
  async requestVerification(userId: number): Promise<void> {
    const { db } = deps;
    const user = await getUser(db, userId);
    if (user.email_verified || !user.email) return;
    const key = `verify-email:${userId}`;
    await assertTry(db, { key, tries: REQUESTS_PER_HOUR, windowSeconds: HOUR });
    await transaction(db, (tx) => sendLink(deps, tx, user));
  },

  verify: (token: string, device: Device) => verify(deps, token, device),

  /** Tells the owner of an address that it has an account: once an hour, however often somebody tries to open another. */
  async alreadyRegistered(email: string): Promise<void> {
    const { db, config, mail, signInLimits } = deps;
    const user = await findUserByEmail(db, email);
    if (!user?.email || isShut(user)) return;
    const key = `already-registered:${signInLimits.nameOf(email)}`;
    if ((await takeTry(db, [{ key, tries: 1, windowSeconds: HOUR }])) > 0) return;
    const { email: to, language } = user;
    const data = {
      signInLink: `${config.SITE_URL}/#sign-in`,
      resetLink: `${config.SITE_URL}/#forgot-password`,
    };
    await transaction(db, (tx) => mail.send(tx, { to, language, template: 'already-registered', data }));
  },
});

async function sendLink({ config, mail }: Deps, tx: Tx, { id, email, language }: UserRow): Promise<void> {
  if (!email) return;
  const hours = config.VERIFY_EMAIL_HOURS;
  const link = await issueLink(tx, {
    purpose: 'VERIFY_EMAIL',
    userId: id,
    email,
    lifeSeconds: hours * HOUR,
    page: `${config.SITE_URL}/verify-email`,
  });
  await mail.send(tx, { to: email, language, template: 'verify-email', data: { link, hours } });
}

/**
 * Verifies the address that the link was sent to. The same link gives the same answer again while the address is verified. `device`
 * shows whether the link is followed in a browser where the account is or was signed in.
 */
const verify = (deps: Deps, token: string, device: Device): Promise<{ result: boolean }> =>
  transaction(deps.db, async (tx) => {
    const link = await takeToken<LinkPayload>(tx, 'VERIFY_EMAIL', token);
    if (!link) return { result: await hasVerified(tx, token) };
    const user = await lockAddressee(tx, link);
    if (user && !user.email_verified) {
      await noteProven(tx, user.id, await isHolder(deps, user, device));
      await deps.queueWelcomeBonus(tx, user.id);
    }
    return { result: user !== undefined };
  });

/** Whether the account was opened or used in this browser. */
export async function isHolder(
  { devices, sessions }: Pick<Deps, 'devices' | 'sessions'>,
  user: UserRow,
  device: Device,
): Promise<boolean> {
  if (devices.find(device.knownAs, user) !== undefined) return true;
  const shown = device.cookie && (await sessions.verifyToken(device.cookie, 'access').catch(() => undefined));
  return shown ? shown.userId === user.id : false;
}

/** Whether this link has verified the address that the user still has. */
async function hasVerified(tx: Tx, token: string): Promise<boolean> {
  const row = await tx
    .selectFrom('one_time_tokens as t')
    .innerJoin('users', 'users.id', 't.user_id')
    .select('users.id')
    .where('t.hash', '=', hashToken(token))
    .where('t.purpose', '=', 'VERIFY_EMAIL')
    .where('t.used_at', 'is not', null)
    .where('users.email_verified', 'is', true)
    .where(sql<boolean>`lower(users.email) = lower(t.payload ->> 'email')`)
    .executeTakeFirst();
  return row !== undefined;
}
