import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import type { Files } from '../../../platform/files/files.ts';
import { formatUnits } from '../../../platform/money.ts';
import { revokeKey } from '../../accounts/api-keys/service.ts';
import { revokeSessions } from '../../accounts/auth/sessions/end.ts';
import { recordCommand } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { lockPlayers, setBanned } from '../../base/players/service.ts';
import { erasedName, isErased } from '../../base/users/rules.ts';
import { userEvents } from '../../base/users/schemas.ts';
import { announceUserChange, lockUser, type UserRow } from '../../base/users/service.ts';
import { eraseMessages, lockMessages } from '../../engagement/chat/service.ts';
import { deleteSubscribers } from '../../engagement/coming-soon/purge.ts';
import { closeApplications } from '../../engagement/vip-applications/applications.ts';
import { cancelWaiting } from '../../money/bonus/grants/settle.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { userAdminErrors } from './schemas.ts';

export type Erasure = { userId: number; by: number; reason: string };

/**
 * Deletes the personal data of a user and closes the account permanently. Ids, ledger, bets, payments and audit log are kept for legal
 * reasons. Returns false if the user is already erased. Throws 404 USER_NOT_FOUND, and 409 ERASED_BY_NOBODY if `by` is neither the user nor
 * staff. Throws 409 ERASURE_REFUSED, with the reasons, if the user is staff or self-excluded, or if the account has money, debts, open bets
 * or pending payments.
 */
export async function erase(
  { db, files }: { db: Db; files: Pick<Files, 'forget'> },
  { userId, by, reason }: Erasure,
): Promise<boolean> {
  const erased = await transaction(db, async (tx) => {
    await lockPlayers(tx, [userId]);
    await lockMessages(tx, userId);
    const user = await lockUser(tx, { id: userId });
    if (isErased(user)) return undefined;
    if (by !== userId && !(await isStaff(tx, by))) throw userAdminErrors.ERASED_BY_NOBODY();
    const reasons = await blockersOf(tx, user);
    if (reasons.length > 0) throw userAdminErrors.ERASURE_REFUSED({ reasons });
    await revokeSessions(tx, userId, 'BANNED');
    await revokeKey(tx, userId);
    await setBanned(tx, userId, true);
    await deleteSubscribers(tx, [user.email, user.idp_email]);
    await forgetPerson(tx, userId);
    await announceUserChange(tx, userId);
    // Notifies external systems, so that they delete the user's data as well.
    await emitEvent(tx, { event: userEvents['user.updated'], userId, data: {} });
    const change = { before: { isErased: false }, after: { isErased: true, userId }, reason };
    await recordCommand(tx, { command: `erase ${userId}`, userId: by, change });
    return user;
  });
  if (!erased) return false;
  await files.forget(erased.avatar);
  return true;
}

async function isStaff(tx: Tx, id: number): Promise<boolean> {
  const found = await tx.selectFrom('users').select('is_staff').where('id', '=', id).executeTakeFirst();
  return found?.is_staff ?? false;
}

/** Returns the reasons that prevent an erasure. The player must be locked, so that no new reason can arise in the meantime. */
async function blockersOf(tx: Tx, user: UserRow): Promise<string[]> {
  const balances = await balancesOf(tx, user.id);
  const money = balances.flatMap(({ currencyId, cash, vault, bonus, hold }) => {
    const all = cash + vault + bonus + hold;
    return all === 0n ? [] : [`${formatUnits(all)} ${currencyId} on the account`];
  });
  const { rows } = await sql<{ what: string }>`
    select 'an open round' as what where exists (select from rounds where user_id = ${user.id})
    union all select 'an open bet' where exists (select from bets where user_id = ${user.id} and status in ('CREATED', 'ERROR'))
    union all select 'a pending withdrawal' where exists (select from withdrawals where user_id = ${user.id}
      and status in ('WAITING_FOR_APPROVAL', 'ON_HOLD', 'APPROVED', 'PROCESSING', 'UNKNOWN_OUTCOME', 'SENT'))
    union all select 'a pending deposit' where exists (select from deposits where user_id = ${user.id}
      and status in ('DETECTED', 'CONFIRMING', 'PARTIALLY_PAID', 'UNDER_REVIEW', 'ON_HOLD'))
    union all select 'pending skin deposits' where exists (select from skin_deposits where user_id = ${user.id}
      and status in ('IN_HOLD', 'HOLD_APPROVED'))
    union all select 'a debt' where exists (select from claims where user_id = ${user.id} and remaining > 0)
    union all select 'an active self-exclusion' where exists (select from exclusions where user_id = ${user.id}
      and lifted_at is null and expires_at > now())`.execute(tx);
  return [...(user.is_staff ? ['a staff account'] : []), ...money, ...rows.map(({ what }) => what)];
}

/** Deletes or overwrites personal data. Payments and staff decisions are kept without names. */
async function forgetPerson(tx: Tx, userId: number): Promise<void> {
  const name = erasedName(userId);
  await sql`update users set username = ${name}, username_skeleton = ${name}, email = null, password_hash = null, email_verified = false,
      language = null, country_code = null, avatar = null, is_private = true, is_mfa_enabled = false,
      is_email_notifications_enabled = false, platform_id = null, platform_trade_link = null, idp_email = null, referrer = null,
      banned_at = coalesce(banned_at, now()), ban_reason = 'erased', updated_at = now()
    where id = ${userId}`.execute(tx);
  // The former username stays reserved for a while, but no longer refers to the user.
  await sql`update freed_usernames set user_id = 0 where user_id = ${userId}`.execute(tx);
  await sql`update sessions set ip_address = null, user_agent = null, country_code = null, device = null, browser = null, os = null,
    device_type = null where user_id = ${userId}`.execute(tx);
  await sql`update registration_info set ip_address = null, country_code = null, language = null, device = null, device_type = null,
    browser = null, os = null, user_agent = null, referrer = null where user_id = ${userId}`.execute(tx);
  await sql`update kyc_persons set sealed = null, person_key = null, stated_at = null, document_country = null
    where user_id = ${userId}`.execute(tx);
  await sql`update kyc_tiers set moderation_comment = null, client_comment = null, reject_labels = '{}', checks = '[]'
    where user_id = ${userId}`.execute(tx);
  await closeApplications(tx, userId);
  await eraseMessages(tx, userId);
  // Waiting grants contain no money. An active grant with money prevents the erasure.
  await cancelWaiting(tx, userId);
  // The record of the tip is kept, because the tip moved money.
  await sql`update tips set message = null where sender_id = ${userId} and message is not null`.execute(tx);
  // The audit log still records that notes were written.
  await sql`update user_notes set note = '(erased)' where user_id = ${userId}`.execute(tx);
  for (const table of [
    'one_time_tokens',
    'mfa_secrets',
    'recovery_codes',
    'passkeys',
    'email_changes',
    'identities',
    'idempotency_keys',
    'events',
    'notifications',
    'consents',
    'crm_messages',
    'bot_activities',
    'simulated_bets',
    'saved_views',
    'user_tags',
  ])
    await sql`delete from ${sql.table(table)} where user_id = ${userId}`.execute(tx);
}
