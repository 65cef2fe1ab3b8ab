import { sql } from 'kysely';
import type { z } from 'zod';
import type { SessionUser } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { announceUserChange, getUser, type UserRow } from '../../../base/users/service.ts';
import { assertTry, giveBack } from '../attempts.ts';
import { authErrors } from '../errors.ts';
import type { KnownDevices } from '../known-devices.ts';
import { lockFactor } from '../mfa/queries.ts';
import { endTokens, peekToken, takeToken } from '../one-time.ts';
import type { Device } from '../open-session.ts';
import { assertPassword } from '../password-policy.ts';
import type { Passwords } from '../passwords.ts';
import { findOpening } from '../queries.ts';
import { revokeSessions } from '../revoke-sessions.ts';
import type { SignInLimits } from '../sign-in-limits.ts';
import { isAddress, type LinkPayload } from './links.ts';
import type { ChangePassword, ResetPassword } from './schemas.ts';
import { endWaysOfOpener, isUnproven, takeOver } from './take-over.ts';

/** Throws MFA_REQUIRED or MFA_INVALID unless this session proves the second factor of its user, if they have one. */
export type ProveMfa = (
  tx: Tx,
  userId: number,
  sessionId: string,
  code: string | undefined,
) => Promise<unknown>;

type Deps = {
  db: Db;
  config: Config;
  mail: Mail;
  passwords: Passwords;
  devices: KnownDevices;
  signInLimits: SignInLimits;
  proveMfa: ProveMfa;
};

/** Setting a new password: with the current one, or with the link of a mail. */
export function createPasswordChanges({
  db,
  config,
  mail,
  passwords,
  devices,
  signInLimits,
  proveMfa,
}: Deps) {
  /** Throws unless the caller knows the current password or, having none, has just signed in through their identity provider. */
  const assertOwner = async (caller: SessionUser, user: UserRow, password: string): Promise<void> => {
    const key = `change-password:${user.id}`;
    const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
    await assertTry(db, { key, tries: config.SIGN_IN_TRIES, windowSeconds });
    if (user.password_hash === null) {
      const opening = await findOpening(db, caller.sessionId);
      if (!opening || opening.ageSeconds > config.MFA_PROOF_SECONDS) throw authErrors.SIGN_IN_AGAIN();
    } else {
      const isRight = await passwords.verify(password, user.password_hash).catch(async (error: unknown) => {
        // A busy moment is no wrong password.
        await giveBack(db, [key], 'one');
        throw error;
      });
      if (!isRight) throw authErrors.PASSWORD_INVALID();
    }
    await giveBack(db, [key], 'all');
  };

  /** A temporary password is known to who has given it. Throws 400 PASSWORD_TEMPORARY when it is chosen again. */
  const assertOwn = async (user: UserRow, password: string): Promise<void> => {
    if (!user.password_is_temporary) return;
    if (await passwords.verify(password, user.password_hash)) throw authErrors.PASSWORD_TEMPORARY();
  };

  /**
   * Replaces a password and what it had opened: sessions but `except`, sign-ins that wait for their second factor, links. The user's
   * row comes first: a sign-in that began before waits for it. Answers false when the old password is not that any more.
   */
  const replace = async (tx: Tx, user: UserRow, hash: string, except: string | null): Promise<boolean> => {
    const changed = await tx
      .updateTable('users')
      .set({ password_hash: hash, password_is_temporary: STAYS_TEMPORARY, updated_at: sql<Date>`now()` })
      .where('id', '=', user.id)
      .where('password_hash', 'is not distinct from', user.password_hash)
      .returning('id')
      .executeTakeFirst();
    if (!changed) return false;
    if (user.password_is_temporary) await endWaysOfOpener(tx, user.id);
    await announceUserChange(tx, user.id);
    await revokeSessions(tx, user.id, 'PASSWORD_CHANGED', except);
    await endTokens(tx, user.id, ['MFA', 'RESET_PASSWORD']);
    await notify(tx, user.id, 'security.password-changed', {});
    const { email: to, language } = user;
    const data = { at: iso(new Date()) };
    if (to) await mail.send(tx, { to, language, template: 'password-changed', data });
    return true;
  };

  return {
    /**
     * Sets a new password and ends every other session; answers the cookie by which the device stays known. Throws
     * PASSWORD_INVALID, SIGN_IN_AGAIN, RATE_LIMITED, MFA_REQUIRED, MFA_INVALID, VALIDATION_FAILED for a weak password.
     */
    async change(
      caller: SessionUser,
      { currentPassword, newPassword, mfaCode }: z.output<typeof ChangePassword>,
      device: Device,
    ): Promise<{ deviceCookie: string | undefined }> {
      const user = await getUser(db, caller.id);
      await assertPassword(newPassword, user, 'newPassword');
      await assertOwner(caller, user, currentPassword);
      await assertOwn(user, newPassword);
      const hash = await passwords.hash(newPassword);
      await transaction(db, async (tx) => {
        await proveMfa(tx, user.id, caller.sessionId, mfaCode);
        if (!(await replace(tx, user, hash, caller.sessionId))) throw authErrors.PASSWORD_INVALID();
      });
      const isKnown = devices.find(device.knownAs, user) !== undefined;
      const owner = { id: user.id, password_hash: hash };
      return { deviceCookie: isKnown ? devices.remember(device.knownAs, owner) : undefined };
    },

    /**
     * Sets a new password with the token of a mail and ends every session. It signs nobody in, and a second factor stays in
     * force, unless a stranger may have placed it (takeOver). False for a token that is used, over, replaced by a newer one, or was never there.
     */
    async reset(
      { token, newPassword }: z.output<typeof ResetPassword>,
      device: Device,
    ): Promise<{ result: boolean }> {
      const link = await peekToken<LinkPayload>(db, 'RESET_PASSWORD', token);
      if (!link?.userId) return { result: false };
      const user = await getUser(db, link.userId);
      await assertPassword(newPassword, user, 'newPassword');
      await assertOwn(user, newPassword);
      const hash = await passwords.hash(newPassword);
      return transaction(db, async (tx) => {
        // Before the user's row, as whoever turns a factor on does.
        await lockFactor(tx, user.id);
        const now = await lockOwner(tx, user.id, link.payload.email);
        if (!now || !(await takeToken(tx, 'RESET_PASSWORD', token))) return { result: false };
        if (isUnproven(now)) await takeOver(tx, now.id);
        await replace(tx, now, hash, null);
        await signInLimits.forgive(tx, { email: link.payload.email, user: now, device });
        return { result: true };
      });
    },
  };
}

/** Whoever changes a temporary password before the mailbox has shown its owner may be the one who has given it. */
const STAYS_TEMPORARY = sql<boolean>`password_is_temporary and not email_verified`;

/** The locked user, if they may sign in and the address is still theirs. */
function lockOwner(tx: Tx, userId: number, email: string): Promise<UserRow | undefined> {
  return tx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .where('banned_at', 'is', null)
    .where(isAddress(email))
    .forNoKeyUpdate()
    .executeTakeFirst();
}
