import { sql } from 'kysely';
import type { Tx } from '../../../../platform/db.ts';
import { announceUserChange, type UserRow } from '../../../base/users/service.ts';
import { revokeKey } from '../../api-keys/service.ts';
import { removeFactor } from '../mfa/change.ts';
import { endTokens } from '../one-time.ts';

type Proven = Pick<UserRow, 'email_verified' | 'has_unproven_credentials'>;

/** Whether the address of an account was never proven by whoever has set up its ways in. */
export const isUnproven = (user: Proven): boolean => !user.email_verified || user.has_unproven_credentials;

/**
 * Whoever sets a password by the link of a mail has the mailbox. Had nobody shown that before, a stranger may have opened the account
 * with this address: every way in that they can have left goes, and what money or items would leave by. The caller sets the new password,
 * with which sessions and known devices end. Money, bets, limits and exclusions stay with the account.
 */
export async function takeOver(tx: Tx, userId: number): Promise<void> {
  await removeFactor(tx, userId);
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute();
  await revokeKey(tx, userId);
  await endTokens(tx, userId, ['VERIFY_EMAIL', 'RESET_PASSWORD']);
  await tx
    .updateTable('users')
    .set({
      email_verified: true,
      has_unproven_credentials: false,
      idp_email: null,
      platform_id: null,
      platform_trade_link: null,
    })
    .where('id', '=', userId)
    .execute();
  await announceUserChange(tx, userId);
}

/**
 * Notes that the address is proven. By somebody who is not where the account was opened or used (`isHolder`) it proves nothing of a
 * factor, an identity or a key that is there already: the mark lasts until the owner of the mailbox sets a password of their own.
 */
export async function noteProven(tx: Tx, userId: number, isHolder: boolean): Promise<void> {
  const placed = sql<boolean>`
    exists (select from mfa_secrets f where f.user_id = users.id and (f.active is not null or f.pending is not null))
    or exists (select from identities i where i.user_id = users.id)
    or exists (select from api_keys k where k.user_id = users.id and k.revoked_at is null)`;
  await tx
    .updateTable('users')
    .set({
      email_verified: true,
      has_unproven_credentials: isHolder ? false : placed,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', userId)
    .execute();
  // Rights of staff count from now on.
  await announceUserChange(tx, userId);
}

/**
 * Whoever opened an account for somebody else could sign in until now: identities and keys that were connected meanwhile go. A factor
 * stays: without its codes nobody would have come this far.
 */
export async function endWaysOfOpener(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute();
  await revokeKey(tx, userId);
}
