import { sql } from 'kysely';
import type { Config } from '../../../../platform/config/config.ts';
import { type DbOrTx, type Tx, transaction } from '../../../../platform/database/db.ts';
import type { Mail } from '../../../base/mail/service.ts';
import { findUserByEmail, isShut, type UserRow } from '../../../base/users/service.ts';
import { takeTries } from '../attempts.ts';
import type { AuthDeps } from '../deps.ts';
import { endTokens, issueLink } from '../one-time-tokens.ts';

const HOUR = 3600;

/** Sends the link that verifies the user's address once `tx` commits. */
export async function sendVerificationLink(
  { config, mail }: { config: Config; mail: Mail },
  tx: Tx,
  { id, email, language }: UserRow,
): Promise<void> {
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

/** Notifies the owner of an address that the address already has an account, at most once an hour. */
export async function sendAlreadyRegistered(
  { db, config, mail, signInLimits }: AuthDeps,
  email: string,
): Promise<void> {
  const user = await findUserByEmail(db, email);
  if (!user?.email || isShut(user)) return;
  const key = `already-registered:${signInLimits.nameOf(email)}`;
  if ((await takeTries(db, [{ key, tries: 1, windowSeconds: HOUR }])) > 0) return;
  const { email: to, language } = user;
  const data = {
    signInLink: `${config.SITE_URL}/#sign-in`,
    resetLink: `${config.SITE_URL}/#forgot-password`,
  };
  await transaction(db, (tx) => mail.send(tx, { to, language, template: 'already-registered', data }));
}

export type EmailChangeRow = NonNullable<Awaited<ReturnType<typeof findChange>>>;

/** The payload of the tokens in the links of an email change. */
export type EmailChangePayload = { email: string; changeId: string };

/** Finds an unexpired email change, pending or completed. */
export const findChange = (db: DbOrTx, id: string) =>
  db
    .selectFrom('email_changes')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();

/** Returns which addresses have not confirmed the change yet. */
export const missingConfirmations = (change: EmailChangeRow): ('OLD' | 'NEW')[] => [
  ...(change.old_email !== null && change.old_proven_at === null ? (['OLD'] as const) : []),
  ...(change.new_proven_at === null ? (['NEW'] as const) : []),
];

/** Deletes a user's email change and its links; returns true if one was pending. */
export async function endEmailChange(tx: Tx, userId: number): Promise<boolean> {
  await endTokens(tx, userId, ['EMAIL_CHANGE_OLD', 'EMAIL_CHANGE_NEW']);
  return deleteChange(tx, userId);
}

/** Returns true if the deleted change was pending. */
export async function deleteChange(tx: Tx, userId: number): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('email_changes')
    .where('user_id', '=', userId)
    .returning('changed_at')
    .executeTakeFirst();
  return deleted?.changed_at === null;
}
