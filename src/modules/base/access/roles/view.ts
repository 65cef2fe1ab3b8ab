import { sql } from 'kysely';
import { z } from 'zod';
import { object, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { ShortPrivateUser } from '../../users/schemas.ts';
import { type Sight, shortUsers } from '../../users/service.ts';
import { findShipped, isKnown, SHIPPED_ROLES, SUPERADMIN } from './rules.ts';
import { findStored, type RoleRow } from './stored.ts';

const ROLE = {
  name: z.string().meta({ example: 'SUPPORT' }),
  title: z.string().meta({ example: 'Support' }),
  description: z.string(),
  kind: z.enum(['FIXED', 'SHIPPED', 'CREATED']).meta({
    description:
      'FIXED: every permission, cannot be changed. SHIPPED: comes with the platform, cannot be deleted. CREATED: staff created it.',
  }),
  permissions: z.array(z.string()),
  shippedPermissions: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The permissions that this version ships for the role. Null for created roles.' }),
  isAsShipped: z.boolean().meta({ description: 'True if the role follows the shipped permissions.' }),
  version: z.number().meta({ description: 'Send it with a change. 0 if the role has never been changed.' }),
  userCount: z.number(),
  updatedAt: Timestamp.nullable(),
  updatedBy: ShortPrivateUser.nullable(),
};
export const Role = object('Role', ROLE);
export const RoleDetails = object('RoleDetails', {
  ...ROLE,
  users: z.array(ShortPrivateUser).meta({ description: 'The first 100 users who have the role.' }),
});
type Role = z.input<typeof Role>;

/** The title, description and permissions of a role. */
export type RoleContent = { title: string; description: string; permissions: string[] };

/**
 * Returns the current content of a role, or undefined if it does not exist. The row is undefined for an unchanged shipped role. Stored
 * permissions that this version does not have are left out, and the next change of the role removes them.
 */
export function contentOf(name: string, row: RoleRow | undefined): RoleContent | undefined {
  const shipped = findShipped(name);
  if (!row && !shipped) return undefined;
  return {
    title: row?.title ?? shipped?.title ?? name,
    description: row?.description ?? shipped?.description ?? '',
    permissions: (row?.permissions ?? shipped?.permissions ?? []).filter(isKnown).sort(),
  };
}

/** Returns all roles: the shipped ones in their order, then the created ones by title. */
export async function readAllRoles(db: DbOrTx, sight: Sight): Promise<Role[]> {
  const rows = await db.selectFrom('roles').selectAll().execute();
  const created = rows.filter(({ name }) => !findShipped(name));
  const names = [...Object.keys(SHIPPED_ROLES), ...created.map(({ name }) => name)];
  const byName = new Map(rows.map((row) => [row.name, row]));
  const roles = await toRoles(
    db,
    names.map((name) => ({ name, row: byName.get(name) })),
    sight,
  );
  const isCreated = ({ kind }: Role) => kind === 'CREATED';
  const last = roles.filter(isCreated).sort((a, b) => (a.title < b.title ? -1 : 1));
  return [...roles.filter((role) => !isCreated(role)), ...last];
}

/** Returns a role, or undefined if it does not exist. */
export async function findRole(db: DbOrTx, name: string, sight: Sight): Promise<Role | undefined> {
  const row = await findStored(db, name);
  if (!contentOf(name, row)) return undefined;
  return (await toRoles(db, [{ name, row }], sight))[0];
}

async function toRoles(
  db: DbOrTx,
  of: readonly { name: string; row: RoleRow | undefined }[],
  sight: Sight,
): Promise<Role[]> {
  const counts = await userCounts(
    db,
    of.map(({ name }) => name),
  );
  const authors = await shortUsers(
    db,
    of.map(({ row }) => row?.updated_by ?? null),
    sight,
  );
  return of.map(({ name, row }) => {
    const shipped = findShipped(name);
    return {
      name,
      ...contentOf(name, row)!,
      kind: name === SUPERADMIN ? 'FIXED' : shipped ? 'SHIPPED' : 'CREATED',
      shippedPermissions: shipped ? [...shipped.permissions].sort() : null,
      isAsShipped: shipped !== undefined && (row?.permissions ?? null) === null,
      version: row?.version ?? 0,
      userCount: counts.get(name) ?? 0,
      updatedAt: row ? iso(row.updated_at) : null,
      updatedBy: authors.get(row?.updated_by ?? 0) ?? null,
    };
  });
}

/** Returns the number of users who have each role, including banned ones. */
export async function userCounts(db: DbOrTx, names: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select name, (select count(*)::int from users where users.roles @> array[name] and users.roles <> '{}') as count
    from unnest(${names}::text[]) name`.execute(db);
  return new Map(rows.map(({ name, count }) => [name, count]));
}
