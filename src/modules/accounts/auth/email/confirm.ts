import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { object, strictObject } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import { violatedConstraint } from '../../../../platform/database/errors.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { userErrors } from '../../../base/users/schemas.ts';
import { maskEmail, type UserRow } from '../../../base/users/service.ts';
import type { AuthDeps } from '../deps.ts';
import { authMessages } from '../messages.ts';
import { endTokens, readToken } from '../one-time-tokens.ts';
import { emailChangeErrors, LinkToken } from '../schemas.ts';
import { deviceOf } from '../sessions/cookies.ts';
import { revokeSessions } from '../sessions/end.ts';
import type { Device } from '../sessions/sessions.ts';
import {
  type EmailChangePayload,
  type EmailChangeRow,
  endEmailChange,
  findChange,
  missingConfirmations,
} from './links.ts';
import { hasCredentials, isHolder, markProven } from './ownership.ts';

const Confirmed = object('EmailConfirmed', {
  result: z.boolean().meta({ description: 'False if the link is unknown, expired, cancelled or replaced.' }),
  isChanged: z.boolean().meta({ description: 'True if the account now has the new address.' }),
});
type Confirmed = z.output<typeof Confirmed>;

const INVALID: Confirmed = { result: false, isChanged: false };

type Link = { side: 'OLD' | 'NEW'; userId: number; changeId: string };
/** The device on which the link was opened, and the user who is signed in on it. */
type Origin = { device: Device; signedInAs: number | undefined };

export const confirmEmailChange = operation({
  method: 'POST',
  path: '/user/email/confirm',
  tag: 'User',
  access: 'anonymous',
  readsSession: true,
  gate: 'none',
  limit: 'auth',
  summary: 'Confirm an email change with the token from the email',
  description:
    'Repeated requests with the same token get the same response until the change expires. The address changes after the last ' +
    'confirmation, and every session ends except the one that requested the change. If the account has second factors, linked ' +
    'identities or API keys, the new address must be confirmed in a browser in which the user has signed in before.',
  body: strictObject('ConfirmEmailRequest', { token: LinkToken }),
  response: Confirmed,
  errors: [emailChangeErrors.CONFIRM_SIGNED_IN, userErrors.AUTH_USER_EXISTS, commonErrors.RATE_LIMITED],
  handler: async (deps: AuthDeps, context) => {
    const { db } = deps;
    const link = await findLink(db, context.body.token);
    if (!link) return INVALID;
    const origin = { device: deviceOf(context), signedInAs: context.user?.id };
    return transaction(db, (tx) => confirm(deps, tx, link, origin)).catch(async (error: unknown) => {
      // Another account has taken the new address in the meantime.
      if (violatedConstraint(error) !== 'users_email_key') throw error;
      await transaction(db, (tx) => endEmailChange(tx, link.userId));
      throw userErrors.AUTH_USER_EXISTS();
    });
  },
});

async function findLink(db: DbOrTx, token: string): Promise<Link | undefined> {
  for (const side of ['OLD', 'NEW'] as const) {
    const link = await readToken<EmailChangePayload>(db, `EMAIL_CHANGE_${side}`, token);
    if (link?.userId) return { side, userId: link.userId, changeId: link.payload.changeId };
  }
  return undefined;
}

async function confirm(
  deps: AuthDeps,
  tx: Tx,
  { side, userId, changeId }: Link,
  { device, signedInAs }: Origin,
): Promise<Confirmed> {
  const user = await lockForChange(tx, userId);
  const change = await findChange(tx, changeId);
  if (!change || user.banned_at) return INVALID;
  if (change.changed_at) return { result: true, isChanged: true };
  const isOwner = signedInAs === userId || (await isHolder(deps, user, device));
  // Otherwise the person who opened the account could still sign in after someone else has become the owner of its address.
  if (side === 'NEW' && !isOwner && (await hasCredentials(tx, userId)))
    throw emailChangeErrors.CONFIRM_SIGNED_IN();
  const current = await proveSide(tx, change, { side, isHolder: isOwner });
  if (missingConfirmations(current).length > 0) return { result: true, isChanged: false };
  await changeAddress(deps, tx, user, current);
  return { result: true, isChanged: true };
}

/** Locks the row that serializes the confirmations through both links and the cancellation by a new password. */
const lockForChange = (tx: Tx, userId: number): Promise<UserRow> =>
  tx.selectFrom('users').selectAll().where('id', '=', userId).forNoKeyUpdate().executeTakeFirstOrThrow();

/** Changes the address. Every session ends except the one that requested the change, and links sent to the old address stop working. */
async function changeAddress(deps: AuthDeps, tx: Tx, user: UserRow, change: EmailChangeRow): Promise<void> {
  const { id } = user;
  await tx.updateTable('users').set({ email: change.new_email }).where('id', '=', id).execute();
  await markProven(tx, id, change.is_new_proven_by_holder);
  await tx
    .updateTable('email_changes')
    .set({ changed_at: sql<Date>`now()` })
    .where('id', '=', change.id)
    .execute();
  await endTokens(tx, id, ['VERIFY_EMAIL', 'RESET_PASSWORD', 'MFA']);
  await revokeSessions(tx, id, 'EMAIL_CHANGED', change.session_id);
  if (!user.email_verified) await deps.queueWelcomeBonus(tx, id);
  await notifyBoth(deps, tx, user, change);
}

/** Notifies both addresses. An unverified old address may belong to a stranger, so it receives no email (`old_email` is null). */
async function notifyBoth(
  { mail }: Pick<AuthDeps, 'mail'>,
  tx: Tx,
  { id, language }: UserRow,
  { old_email: oldEmail, new_email: newEmail }: EmailChangeRow,
): Promise<void> {
  const address = maskEmail(newEmail);
  await notify(tx, id, authMessages['security.email-changed'], { address });
  const data = { at: iso(new Date()), address };
  for (const to of [oldEmail, newEmail])
    if (to !== null) await mail.send(tx, { to, language, template: 'email-changed', data });
}

/**
 * Records the confirmation of one address. `isHolder`: true if the address was confirmed in a browser where the account is or was signed
 * in.
 */
const proveSide = (
  tx: Tx,
  { id }: Pick<EmailChangeRow, 'id'>,
  { side, isHolder }: { side: 'OLD' | 'NEW'; isHolder: boolean },
): Promise<EmailChangeRow> =>
  tx
    .updateTable('email_changes')
    .set(
      side === 'OLD'
        ? { old_proven_at: sql<Date>`coalesce(old_proven_at, now())` }
        : {
            new_proven_at: sql<Date>`coalesce(new_proven_at, now())`,
            is_new_proven_by_holder: sql<boolean>`is_new_proven_by_holder or ${isHolder}`,
          },
    )
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
