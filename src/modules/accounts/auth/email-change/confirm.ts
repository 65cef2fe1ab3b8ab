import { iso } from '../../../../platform/clock.ts';
import { violatedConstraint } from '../../../../platform/database-errors.ts';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/db.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { userErrors } from '../../../base/users/errors.ts';
import { maskEmail, type UserRow } from '../../../base/users/service.ts';
import { isHolder } from '../account/email.ts';
import { hasPlaced, noteProven } from '../account/take-over.ts';
import type { AuthDeps } from '../deps.ts';
import type { KnownDevices } from '../known-devices.ts';
import { endTokens, peekToken } from '../one-time.ts';
import { revokeSessions } from '../revoke-sessions.ts';
import type { Device, Sessions } from '../sessions.ts';
import { endEmailChange } from './cancel.ts';
import { emailChangeErrors } from './errors.ts';
import { type EmailChangeRow, findChange, noteChanged, proveSide } from './queries.ts';
import { type EmailChangePayload, waitsFor } from './request.ts';

export type ConfirmDeps = AuthDeps & {
  devices: KnownDevices;
  sessions: Sessions;
  /** Has the welcome promotion looked for that fits a player now. */
  queueWelcomeBonus: (tx: Tx, userId: number) => Promise<void>;
};
type Confirmed = { result: boolean; isChanged: boolean };
type Followed = { side: 'OLD' | 'NEW'; userId: number; changeId: string };
/** Where a link is followed: on which device, and in whose session, if in any. */
type Place = { device: Device; signedInAs: number | undefined };

/**
 * The owner of one address agrees, by the link that was sent there. The account has the new address once every side that has to has agreed,
 * in whatever order. A link answers the same again until the change expires or is cancelled. Throws 403 CONFIRM_SIGNED_IN for the new
 * address of an account with factors, identities or keys, in a browser that has never been signed in to it; 409 AUTH_USER_EXISTS when somebody
 * else has got the new address meanwhile: the change has ended then.
 */
export async function confirm(deps: ConfirmDeps, token: string, place: Place): Promise<Confirmed> {
  const { db } = deps;
  const link = await followed(db, token);
  if (!link) return NOTHING;
  const { userId } = link;
  return transaction(db, (tx) => agree(deps, tx, link, place)).catch(async (error: unknown) => {
    if (violatedConstraint(error) !== 'users_email_key') throw error;
    await transaction(db, (tx) => endEmailChange(tx, userId));
    throw userErrors.AUTH_USER_EXISTS();
  });
}

const NOTHING: Confirmed = { result: false, isChanged: false };

async function followed(db: DbOrTx, token: string): Promise<Followed | undefined> {
  for (const side of ['OLD', 'NEW'] as const) {
    const link = await peekToken<EmailChangePayload>(db, `EMAIL_CHANGE_${side}`, token);
    if (link?.userId) return { side, userId: link.userId, changeId: link.payload.changeId };
  }
  return undefined;
}

async function agree(
  deps: ConfirmDeps,
  tx: Tx,
  { side, userId, changeId }: Followed,
  { device, signedInAs }: Place,
): Promise<Confirmed> {
  const user = await lockForChange(tx, userId);
  const change = await findChange(tx, changeId);
  if (!change || user.banned_at) return NOTHING;
  if (change.changed_at) return { result: true, isChanged: true };
  const isOwner = signedInAs === userId || (await isHolder(deps, user, device));
  // Else whoever opened the account could sign in to it long after its new address is somebody else's.
  if (side === 'NEW' && !isOwner && (await hasPlaced(tx, userId)))
    throw emailChangeErrors.CONFIRM_SIGNED_IN();
  const now = await proveSide(tx, change, { side, isHolder: isOwner });
  if (waitsFor(now).length > 0) return { result: true, isChanged: false };
  await move(deps, tx, user, now);
  return { result: true, isChanged: true };
}

/** The lock of this row serialises both links, and a cancellation by a new password. */
const lockForChange = (tx: Tx, userId: number): Promise<UserRow> =>
  tx.selectFrom('users').selectAll().where('id', '=', userId).forNoKeyUpdate().executeTakeFirstOrThrow();

/** The account has the new address: every session ends but the one that asked for it, and links to the address before are worth nothing. */
async function move(deps: ConfirmDeps, tx: Tx, user: UserRow, change: EmailChangeRow): Promise<void> {
  const { id } = user;
  await tx.updateTable('users').set({ email: change.new_email }).where('id', '=', id).execute();
  await noteProven(tx, id, change.is_new_proven_by_holder);
  await noteChanged(tx, change.id);
  await endTokens(tx, id, ['VERIFY_EMAIL', 'RESET_PASSWORD', 'MFA']);
  await revokeSessions(tx, id, 'EMAIL_CHANGED', change.session_id);
  if (!user.email_verified) await deps.queueWelcomeBonus(tx, id);
  await tellBoth(deps, tx, user, change);
}

/** An address that nobody has proven may be that of a stranger, who hears nothing. */
async function tellBoth(
  { mail }: Pick<ConfirmDeps, 'mail'>,
  tx: Tx,
  { id, language }: UserRow,
  { old_email: oldEmail, new_email: newEmail }: EmailChangeRow,
): Promise<void> {
  const address = maskEmail(newEmail);
  await notify(tx, id, 'security.email-changed', { address });
  const data = { at: iso(new Date()), address };
  for (const to of [oldEmail, newEmail])
    if (to !== null) await mail.send(tx, { to, language, template: 'email-changed', data });
}
