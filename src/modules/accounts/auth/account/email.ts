import { sql } from 'kysely';
import type { Config } from '../../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { hashToken } from '../../../../platform/encryption.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { findUserByEmail, getUser, type UserRow } from '../../../base/users/service.ts';
import { assertTry, takeTry } from '../attempts.ts';
import type { KnownDevices } from '../known-devices.ts';
import { takeToken } from '../one-time.ts';
import type { Device } from '../open-session.ts';
import type { Sessions } from '../sessions.ts';
import { isAddress, type LinkPayload, newLink } from './links.ts';
import { noteProven } from './take-over.ts';

export type Emails = ReturnType<typeof createEmails>;

type Deps = {
  db: Db;
  config: Config;
  mail: Mail;
  devices: Pick<KnownDevices, 'find'>;
  sessions: Pick<Sessions, 'verifyToken'>;
};

const HOUR = 3600;
const REQUESTS_PER_HOUR = 3;

/** Mails about the address of an account: proving it, and that it is taken. */
export function createEmails({ db, config, mail, devices, sessions }: Deps) {
  /** Whether the account was opened or used in this browser. */
  const isHolder = async (user: UserRow, { cookie, knownAs }: Device): Promise<boolean> => {
    if (devices.find(knownAs, user) !== undefined) return true;
    const shown = cookie && (await sessions.verifyToken(cookie, 'access').catch(() => undefined));
    return shown ? shown.userId === user.id : false;
  };

  /** Sends the link that verifies the address, in the caller's transaction. */
  const sendLink = async (tx: Tx, { id, email, language }: UserRow): Promise<void> => {
    if (!email) return;
    const hours = config.VERIFY_EMAIL_HOURS;
    const purpose = 'VERIFY_EMAIL';
    const page = `${config.SITE_URL}/verify-email`;
    const link = await newLink(tx, { purpose, userId: id, email, lifeSeconds: hours * HOUR, page });
    await mail.send(tx, { to: email, language, template: 'verify-email', data: { link, hours } });
  };

  return {
    sendLink,

    /** Sends another link; nothing when the address is verified. Throws 429 after the third within an hour. */
    async requestVerification(userId: number): Promise<void> {
      const user = await getUser(db, userId);
      if (user.email_verified || !user.email) return;
      const key = `verify-email:${userId}`;
      await assertTry(db, { key, tries: REQUESTS_PER_HOUR, windowSeconds: HOUR });
      await transaction(db, (tx) => sendLink(tx, user));
    },

    /**
     * Verifies the address that the link was sent to. The same link again is as good, while the address is verified. `device` tells
     * whether it is followed where the account is signed in or has been.
     */
    verify: (token: string, device: Device): Promise<{ result: boolean }> =>
      transaction(db, async (tx) => {
        const taken = await takeToken<LinkPayload>(tx, 'VERIFY_EMAIL', token);
        if (!taken) return { result: await isDone(tx, token) };
        const user = await tx
          .selectFrom('users')
          .selectAll()
          .where('id', '=', taken.userId)
          .where(isAddress(taken.payload.email))
          .forNoKeyUpdate()
          .executeTakeFirst();
        if (user && !user.email_verified) await noteProven(tx, user.id, await isHolder(user, device));
        return { result: user !== undefined };
      }),

    /** Tells the owner of an address that it has an account: once an hour, however often somebody tries to open another. */
    async alreadyRegistered(email: string, name: string): Promise<void> {
      const user = await findUserByEmail(db, email);
      if (!user?.email || user.banned_at) return;
      const key = `already-registered:${name}`;
      if ((await takeTry(db, [{ key, tries: 1, windowSeconds: HOUR }])) > 0) return;
      const { email: to, language } = user;
      const data = {
        signInLink: `${config.SITE_URL}/#sign-in`,
        resetLink: `${config.SITE_URL}/#forgot-password`,
      };
      await transaction(db, (tx) => mail.send(tx, { to, language, template: 'already-registered', data }));
    },
  };
}

/** Whether this link has verified the address that the user still has. */
async function isDone(tx: Tx, token: string): Promise<boolean> {
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
