import { sql } from 'kysely';
import type { SessionUser } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { announceUserChange, type UserRow } from '../../../base/users/service.ts';
import { assertTry, giveBack } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { endEmailChange } from '../email/links.ts';
import { removeIdentitiesAndKeys } from '../email/ownership.ts';
import { authMessages } from '../messages.ts';
import { endTokens } from '../one-time-tokens.ts';
import { authErrors } from '../schemas.ts';
import { isJustOpened, revokeSessions } from '../sessions/end.ts';

/**
 * Asserts that the caller knows the current password. If the account has no password, the caller must have just signed in through the
 * identity provider. Throws 400 PASSWORD_INVALID, 403 SIGN_IN_AGAIN and 429 RATE_LIMITED. All operations that require the password share
 * one limit.
 */
export async function assertOwner(
  { db, config, passwords }: Pick<AuthDeps, 'db' | 'config' | 'passwords'>,
  caller: SessionUser,
  user: UserRow,
  password: string,
): Promise<void> {
  const key = `change-password:${user.id}`;
  const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
  await assertTry(db, { key, tries: config.SIGN_IN_TRIES, windowSeconds });
  if (user.password_hash === null) {
    const isJust = await isJustOpened(db, caller.sessionId, config.MFA_PROOF_SECONDS);
    if (!isJust) throw authErrors.SIGN_IN_AGAIN();
  } else {
    const isRight = await passwords.verify(password, user.password_hash).catch(async (error: unknown) => {
      // The password was not compared, so this attempt does not count.
      await giveBack(db, [key], 'one');
      throw error;
    });
    if (!isRight) throw authErrors.PASSWORD_INVALID();
  }
  await giveBack(db, [key], 'all');
}

/** Throws 400 PASSWORD_TEMPORARY if the new password is the temporary one, which is known to the person who assigned it. */
export async function assertNotTemporary(
  { passwords }: Pick<AuthDeps, 'passwords'>,
  user: UserRow,
  password: string,
): Promise<void> {
  if (!user.password_is_temporary) return;
  if (await passwords.verify(password, user.password_hash)) throw authErrors.PASSWORD_TEMPORARY();
}

/**
 * A temporary password that is replaced before the address is verified stays temporary, because the person who assigned it may be the one
 * who replaced it.
 */
const STAYS_TEMPORARY = sql<boolean>`password_is_temporary and not email_verified`;

/**
 * Replaces a password and ends everything that the old one gave access to: sessions except `exceptSession`, unfinished sign-ins, links, and
 * a pending email change. Updates the user's row first, so that a sign-in that began earlier must wait for this update. Returns false if
 * the old password has changed in the meantime.
 */
export async function replacePassword(
  { mail }: Pick<AuthDeps, 'mail'>,
  tx: Tx,
  user: UserRow,
  { hash, exceptSession }: { hash: string; exceptSession: string | null },
): Promise<boolean> {
  const changed = await tx
    .updateTable('users')
    .set({ password_hash: hash, password_is_temporary: STAYS_TEMPORARY, updated_at: sql<Date>`now()` })
    .where('id', '=', user.id)
    .where('password_hash', 'is not distinct from', user.password_hash)
    .returning('id')
    .executeTakeFirst();
  if (!changed) return false;
  if (user.password_is_temporary) await removeIdentitiesAndKeys(tx, user.id);
  await endEmailChange(tx, user.id);
  await announceUserChange(tx, user.id);
  await revokeSessions(tx, user.id, 'PASSWORD_CHANGED', exceptSession);
  await endTokens(tx, user.id, ['MFA', 'RESET_PASSWORD']);
  await notify(tx, user.id, authMessages['security.password-changed'], {});
  const { email: to, language } = user;
  const data = { at: iso(new Date()) };
  if (to) await mail.send(tx, { to, language, template: 'password-changed', data });
  return true;
}
