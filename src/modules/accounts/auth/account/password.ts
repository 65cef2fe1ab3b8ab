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
export const createPasswordChanges = (deps: Deps) => ({
  change: (caller: SessionUser, input: z.output<typeof ChangePassword>, device: Device) =>
    changePassword(deps, caller, input, device),
  reset: (input: z.output<typeof ResetPassword>, device: Device) => resetPassword(deps, input, device),
});

/**
 * Sets a new password and ends every other session; answers the cookie by which the device stays known. Throws PASSWORD_INVALID,
 * SIGN_IN_AGAIN, RATE_LIMITED, MFA_REQUIRED, MFA_INVALID, VALIDATION_FAILED for a weak password.
 */
async function changePassword(
  deps: Deps,
  caller: SessionUser,
  { currentPassword, newPassword, mfaCode }: z.output<typeof ChangePassword>,
  device: Device,
): Promise<{ deviceCookie: string | undefined }> {
  const { db, passwords, devices, proveMfa } = deps;
  const user = await getUser(db, caller.id);
  await assertPassword(newPassword, user, 'newPassword');
  await assertOwner(deps, caller, user, currentPassword);
  await assertNotTemporary(deps, user, newPassword);
  const hash = await passwords.hash(newPassword);
  await transaction(db, async (tx) => {
    await proveMfa(tx, user.id, caller.sessionId, mfaCode);
    const isReplaced = await replacePassword(deps, tx, user, { hash, exceptSession: caller.sessionId });
    if (!isReplaced) throw authErrors.PASSWORD_INVALID();
  });
  const isKnown = devices.find(device.knownAs, user) !== undefined;
  const owner = { id: user.id, password_hash: hash };
  return { deviceCookie: isKnown ? devices.remember(device.knownAs, owner) : undefined };
}

/**
 * Sets a new password with the token of a mail and ends every session. It signs nobody in, and a second factor stays in force unless
 * a stranger may have enabled it (takeOver). Answers false for a token that is used, expired, replaced by a newer one or unknown.
 */
async function resetPassword(
  deps: Deps,
  { token, newPassword }: z.output<typeof ResetPassword>,
  device: Device,
): Promise<{ result: boolean }> {
  const { db, passwords, signInLimits } = deps;
  const link = await peekToken<LinkPayload>(db, 'RESET_PASSWORD', token);
  if (!link?.userId) return { result: false };
  const user = await getUser(db, link.userId);
  await assertPassword(newPassword, user, 'newPassword');
  await assertNotTemporary(deps, user, newPassword);
  const hash = await passwords.hash(newPassword);
  return transaction(db, async (tx) => {
    // Before the user's row, the order in which enabling a factor locks them too.
    await lockFactor(tx, user.id);
    const now = await lockOwner(tx, user.id, link.payload.email);
    if (!now || !(await takeToken(tx, 'RESET_PASSWORD', token))) return { result: false };
    if (isUnproven(now)) await takeOver(tx, now.id);
    await replacePassword(deps, tx, now, { hash, exceptSession: null });
    await signInLimits.forgive(tx, { email: link.payload.email, user: now, device });
    return { result: true };
  });
}

/** Throws unless the caller knows the current password or, having none, has just signed in through their identity provider. */
async function assertOwner(
  { db, config, passwords }: Deps,
  caller: SessionUser,
  user: UserRow,
  password: string,
): Promise<void> {
  const key = `change-password:${user.id}`;
  const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
  await assertTry(db, { key, tries: config.SIGN_IN_TRIES, windowSeconds });
  if (user.password_hash === null) {
    const opening = await findOpening(db, caller.sessionId);
    if (!opening || opening.ageSeconds > config.MFA_PROOF_SECONDS) throw authErrors.SIGN_IN_AGAIN();
  } else {
    const isRight = await passwords.verify(password, user.password_hash).catch(async (error: unknown) => {
      // The password was not compared: the try does not count.
      await giveBack(db, [key], 'one');
      throw error;
    });
    if (!isRight) throw authErrors.PASSWORD_INVALID();
  }
  await giveBack(db, [key], 'all');
}

/** Throws 400 PASSWORD_TEMPORARY when the new password is the temporary one: whoever assigned that knows it. */
async function assertNotTemporary({ passwords }: Deps, user: UserRow, password: string): Promise<void> {
  if (!user.password_is_temporary) return;
  if (await passwords.verify(password, user.password_hash)) throw authErrors.PASSWORD_TEMPORARY();
}

/**
 * Replaces a password and ends what the old one gave access to: sessions but `exceptSession`, pending second factors, links. Updates
 * the user's row first, so that a sign-in that began earlier waits for it. Answers false when the old password has changed meanwhile.
 */
async function replacePassword(
  { mail }: Deps,
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
  await announceUserChange(tx, user.id);
  await revokeSessions(tx, user.id, 'PASSWORD_CHANGED', exceptSession);
  await endTokens(tx, user.id, ['MFA', 'RESET_PASSWORD']);
  await notify(tx, user.id, 'security.password-changed', {});
  const { email: to, language } = user;
  const data = { at: iso(new Date()) };
  if (to) await mail.send(tx, { to, language, template: 'password-changed', data });
  return true;
}

/** A temporary password that is changed before the address is verified may have been changed by whoever assigned it. */
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
