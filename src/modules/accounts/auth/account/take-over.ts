import { sql } from 'kysely';
import type { Tx } from '../../../../platform/db.ts';
import { announceUserChange, type UserRow } from '../../../base/users/service.ts';
import { revokeKey } from '../../api-keys/service.ts';
import { removeFactor } from '../mfa/change.ts';
import { endTokens } from '../one-time.ts';

type Proven = Pick<UserRow, 'email_verified' | 'has_unproven_credentials'>;

/** Whether the person who set up the ways to sign in to an account may not be the owner of its address. */
export const isUnproven = (user: Proven): boolean => !user.email_verified || user.has_unproven_credentials;

/**
 * The account of somebody who sets a password by the link of a mail, and so owns the mailbox. If nobody had proven that before, a stranger
 * may have opened the account with this address: every way to sign in that they may have left is removed, and every destination for money
 * or items. The caller sets the new password, which ends sessions and known devices. Money, bets, limits and exclusions stay.
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

/** Whether an account has a way in that somebody else than the owner of its mailbox may have placed, as SQL over `users`. */
const PLACED = sql<boolean>`(
    exists (select from mfa_secrets f where f.user_id = users.id and (f.active is not null or f.pending is not null))
    or exists (select from passkeys p where p.user_id = users.id)
    or exists (select from identities i where i.user_id = users.id)
    or exists (select from api_keys k where k.user_id = users.id and k.revoked_at is null))`;

/** Whether an account has factors, identities or keys. */
export async function hasPlaced(tx: Tx, userId: number): Promise<boolean> {
  const { isPlaced } = await tx
    .selectFrom('users')
    .select(PLACED.as('isPlaced'))
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return isPlaced;
}

/**
 * Records that the address is proven. In a browser where the account was never signed in (not `isHolder`) that says nothing about a
 * factor, an identity or a key that the account already has: they stay unproven until the owner of the mailbox sets a password.
 */
export async function noteProven(tx: Tx, userId: number, isHolder: boolean): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      email_verified: true,
      has_unproven_credentials: isHolder ? false : PLACED,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', userId)
    .execute();
  // Rights of staff count from now on.
  await announceUserChange(tx, userId);
}

/**
 * Removes the identities and keys of an account that was opened for somebody else: the person who opened it could sign in until now. A
 * factor stays: it was proven to get this far.
 */
export async function endWaysOfOpener(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute();
  await revokeKey(tx, userId);
}
