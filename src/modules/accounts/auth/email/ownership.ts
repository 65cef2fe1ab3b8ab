import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import { announceUserChange, type UserRow } from '../../../base/users/service.ts';
import { revokeKey } from '../../api-keys/service.ts';
import type { AuthDeps } from '../deps.ts';
import { endTokens } from '../one-time-tokens.ts';
import { removeFactor } from '../second-factor/changes.ts';
import type { Device } from '../sessions/sessions.ts';

type Proven = Pick<UserRow, 'email_verified' | 'has_unproven_credentials'>;

/** Returns true if someone other than the owner of the address may have set up the account's sign-in methods. */
export const isUnproven = (user: Proven): boolean => !user.email_verified || user.has_unproven_credentials;

/**
 * Transfers an account with an unproven address to the owner of the mailbox, who is setting a password through a link. A stranger may have
 * opened the account with this address, so every sign-in method and every destination for money or items is removed. The caller sets the
 * new password, which ends sessions and known devices. Money, bets, limits and exclusions are kept.
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

/** SQL over `users`: true if the account has a sign-in method that someone other than the owner of its mailbox may have added. */
const HAS_CREDENTIALS = sql<boolean>`(
    exists (select from mfa_secrets f where f.user_id = users.id and (f.active is not null or f.pending is not null))
    or exists (select from passkeys p where p.user_id = users.id)
    or exists (select from identities i where i.user_id = users.id)
    or exists (select from api_keys k where k.user_id = users.id and k.revoked_at is null))`;

/** Returns true if an account has any second factors, identities or API keys. */
export async function hasCredentials(tx: Tx, userId: number): Promise<boolean> {
  const { hasAny } = await tx
    .selectFrom('users')
    .select(HAS_CREDENTIALS.as('hasAny'))
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return hasAny;
}

/**
 * Marks the address as proven. If no one has ever signed in to the account in this browser (`isHolder` is false), the account's factors,
 * identities and keys stay unproven until the owner of the mailbox sets a password.
 */
export async function markProven(tx: Tx, userId: number, isHolder: boolean): Promise<void> {
  await tx
    .updateTable('users')
    .set({
      email_verified: true,
      has_unproven_credentials: isHolder ? false : HAS_CREDENTIALS,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', userId)
    .execute();
  // Staff permissions become effective when the address is proven.
  await announceUserChange(tx, userId);
}

/**
 * Removes identities and keys when a temporary password is replaced. Before that, the person who opened the account for its owner could
 * sign in and add them. The second factor is kept, because the request has proven it.
 */
export async function removeIdentitiesAndKeys(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute();
  await revokeKey(tx, userId);
}

/** Returns true if the account was opened or used in this browser. */
export async function isHolder(
  { knownDevices, sessions }: Pick<AuthDeps, 'knownDevices' | 'sessions'>,
  user: UserRow,
  device: Device,
): Promise<boolean> {
  if (knownDevices.find(device.knownAs, user) !== undefined) return true;
  const session =
    device.cookie && (await sessions.verifyToken(device.cookie, 'access').catch(() => undefined));
  return session ? session.userId === user.id : false;
}
