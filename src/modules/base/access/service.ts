import { sql } from 'kysely';
import { assertAccess, type Permission, type StaffCall } from '../../../http/access.ts';
import type { Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { lockUser, type UserKey, type UserRow } from '../users/service.ts';
import { type Actor, assertMayManage, effectiveRights } from './rules.ts';

/**
 * Serialises changes of rights and bans. The acting superadmin (freshActor) remains one, so at least one is always left. Take this
 * lock before any other.
 */
export async function lockSuperAdmins(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('superadmins', 0))`.execute(tx);
}

/**
 * The caller with the rights that they have now: the guard may have read them before this call waited for locks, so take the locks
 * first. Throws 401 UNAUTHORIZED when the caller was banned or their session has ended, 403 FORBIDDEN when they have lost the right
 * that the route asks for.
 */
export async function freshActor(tx: Tx, { user, permission }: StaffCall): Promise<Actor> {
  const row = await tx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.roles', 'users.permissions', 'users.is_staff as isStaff'])
    .select(['users.email_verified', 'users.has_unproven_credentials', 'users.password_is_temporary'])
    .where('sessions.id', '=', user.sessionId)
    .where('sessions.revoked_at', 'is', null)
    .where('users.id', '=', user.id)
    .where('users.banned_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw commonErrors.UNAUTHORIZED();
  const actor = { id: row.id, isStaff: row.isStaff, ...effectiveRights(row) };
  const access = permission === 'superadmin' ? permission : { permission: permission as Permission };
  assertAccess(access, { ...user, ...actor });
  return actor;
}

/**
 * Locks a user whom the caller wants to change. Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT, 403 FORBIDDEN for a superadmin unless a
 * superadmin calls, and as freshActor does.
 */
export async function lockManaged(
  tx: Tx,
  by: StaffCall,
  key: UserKey,
): Promise<{ user: UserRow; actor: Actor }> {
  const user = await lockUser(tx, key);
  const actor = await freshActor(tx, by);
  assertMayManage(actor, user);
  return { user, actor };
}
