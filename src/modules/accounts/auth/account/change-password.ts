import { sql } from 'kysely';
import type { z } from 'zod';
import type { SessionUser } from '../../../../http/access.ts';
import { iso } from '../../../../platform/clock.ts';
import { type Tx, transaction } from '../../../../platform/db.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { announceUserChange, getUser, type UserRow } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { endEmailChange } from '../email-change/cancel.ts';
import { authErrors } from '../errors.ts';
import type { KnownDevices } from '../known-devices.ts';
import type { Mfa } from '../mfa/service.ts';
import { endTokens } from '../one-time.ts';
import type { PasswordPolicy } from '../password-policy.ts';
import type { Passwords } from '../passwords.ts';
import { revokeSessions } from '../revoke-sessions.ts';
import type { Device } from '../sessions.ts';
import { assertOwner } from './owner.ts';
import type { ChangePassword } from './schemas.ts';
import { endWaysOfOpener } from './take-over.ts';

/** What every new password needs. */
export type PasswordDeps = AuthDeps & { passwords: Passwords; passwordPolicy: PasswordPolicy };
type Deps = PasswordDeps & { devices: KnownDevices; mfa: Pick<Mfa, 'prove'> };

export type PasswordChange = ReturnType<typeof createPasswordChange>;

/**
 * Sets a new password for somebody who knows the current one, and ends every other session; returns the cookie by which the device
 * remains known. Throws PASSWORD_INVALID, SIGN_IN_AGAIN, RATE_LIMITED, MFA_REQUIRED, MFA_INVALID, VALIDATION_FAILED for a weak password, PASSWORD_BREACHED.
 */
export const createPasswordChange =
  (deps: Deps) =>
  async (
    caller: SessionUser,
    { currentPassword, newPassword, mfaCode }: z.output<typeof ChangePassword>,
    device: Device,
  ): Promise<{ deviceCookie: string | undefined }> => {
    const { db, passwords, passwordPolicy, devices, mfa } = deps;
    const user = await getUser(db, caller.id);
    await assertOwner(deps, caller, user, currentPassword);
    await passwordPolicy(newPassword, user, 'newPassword');
    await assertNotTemporary(deps, user, newPassword);
    const hash = await passwords.hash(newPassword);
    await transaction(db, async (tx) => {
      await mfa.prove(tx, { userId: user.id, sessionId: caller.sessionId, code: mfaCode });
      const isReplaced = await replacePassword(deps, tx, user, { hash, exceptSession: caller.sessionId });
      if (!isReplaced) throw authErrors.PASSWORD_INVALID();
    });
    const isKnown = devices.find(device.knownAs, user) !== undefined;
    const owner = { id: user.id, password_hash: hash };
    return { deviceCookie: isKnown ? devices.remember(device.knownAs, owner) : undefined };
  };

/** Throws 400 PASSWORD_TEMPORARY when the new password is the temporary one, which is known to the person who assigned it. */
export async function assertNotTemporary(
  { passwords }: PasswordDeps,
  user: UserRow,
  password: string,
): Promise<void> {
  if (!user.password_is_temporary) return;
  if (await passwords.verify(password, user.password_hash)) throw authErrors.PASSWORD_TEMPORARY();
}

/** A temporary password that is changed before the address is verified may have been changed by the person who assigned it. */
const STAYS_TEMPORARY = sql<boolean>`password_is_temporary and not email_verified`;

/**
 * Replaces a password and ends what the old one gave access to: sessions but `exceptSession`, unfinished sign-ins, links, a change of the address. Updates
 * the user's row first, so that a sign-in that began earlier waits for it. Returns false when the old password has changed meanwhile.
 */
export async function replacePassword(
  { mail }: PasswordDeps,
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
  if (user.password_is_temporary) await endWaysOfOpener(tx, user.id);
  await endEmailChange(tx, user.id);
  await announceUserChange(tx, user.id);
  await revokeSessions(tx, user.id, 'PASSWORD_CHANGED', exceptSession);
  await endTokens(tx, user.id, ['MFA', 'RESET_PASSWORD']);
  await notify(tx, user.id, 'security.password-changed', {});
  const { email: to, language } = user;
  const data = { at: iso(new Date()) };
  if (to) await mail.send(tx, { to, language, template: 'password-changed', data });
  return true;
}
