import { type Selectable, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { Roles } from '../../../../platform/database/tables.ts';
import { accessErrors } from '../errors.ts';
import { findShipped, type StoredRoles } from './rules.ts';

export type RoleRow = Selectable<Roles>;

/** Selects the stored permissions of a user's roles, in a query of `users`. The permissions of an account depend on them. */
export const storedRoles = sql<StoredRoles>`(
  select coalesce(jsonb_object_agg(r.name, r.permissions), '{}')
  from roles r where r.name = any(users.roles) and r.permissions is not null)`.as('stored_roles');

/** True for users who have this role. */
export const hasRole = (name: string) => sql<boolean>`users.roles @> array[${name}] and users.roles <> '{}'`;

export const findStored = (db: DbOrTx, name: string): Promise<RoleRow | undefined> =>
  db.selectFrom('roles').selectAll().where('name', '=', name).executeTakeFirst();

/** Throws 400 ROLE_UNKNOWN. Lock the changes of roles first (lockSuperAdmins), so that no role can disappear until the commit. */
export async function assertRolesExist(tx: Tx, names: readonly string[]): Promise<void> {
  const created = names.filter((name) => !findShipped(name));
  if (created.length === 0) return;
  const rows = await tx
    .selectFrom('roles')
    .select('name')
    .where('name', '=', sql<string>`any(${created}::text[])`)
    .execute();
  const unknown = created.find((name) => !rows.some((row) => row.name === name));
  if (unknown !== undefined) throw accessErrors.ROLE_UNKNOWN({ role: unknown });
}

/** Makes every process drop its cached sessions of staff at commit, because their permissions may have changed. */
export async function announceRoleChange(tx: Tx, name: string): Promise<void> {
  await sql`select pg_notify('access_changed', ${`role:${name}`})`.execute(tx);
}
