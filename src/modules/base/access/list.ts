import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, PageNumber, page, pageOf, take } from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import { ShortPrivateUser, UserDto } from '../users/schemas.ts';
import {
  SHORT_USER_COLUMNS,
  sightOf,
  toShortPrivateUser,
  toUserDto,
  vipProgressOf,
} from '../users/service.ts';
import { PERMISSIONS } from './permissions.ts';
import { readAllRoles } from './roles/view.ts';

const PermissionInfo = object('PermissionInfo', {
  name: z.string(),
  group: z.string(),
  description: z.string(),
});

const AllPermissions = object('AllPermissions', { permissions: z.array(PermissionInfo) });

const RoleWithUsers = object('RoleWithUsers', {
  role: z.string(),
  permissions: z.array(z.string()),
  users: z.array(ShortPrivateUser),
});

const UserWithRoles = object('UserWithRoles', { ...UserDto.shape, roles: z.array(z.string()) });

type Deps = { db: Db };

/** The maximum number of staff members in the list of roles. */
const MAX_STAFF = 1000;

const reading = { method: 'GET', tag: 'Admin User', access: { permission: 'staff.read' } } as const;

export const listPermissions = operation({
  ...reading,
  path: '/admin/user/all-permissions',
  summary: 'List all permissions and what they allow',
  response: AllPermissions,
  handler: () => ({
    permissions: Object.entries(PERMISSIONS).map(([name, description]) => ({
      name,
      group: name.split('.')[0]!,
      description,
    })),
  }),
});

export const listStaff = operation({
  ...reading,
  path: '/admin/user/get-admins-with-roles',
  summary: 'List staff with their roles and permissions',
  query: z.strictObject({ page: PageNumber, take: take(100) }),
  response: page(UserWithRoles),
  handler: async ({ db }: Deps, { query, by }) => {
    const staff = db.selectFrom('users').where('is_staff', '=', true);
    const { total } = await staff.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
    return pageOf(query, total, async (offset) => {
      const rows = await staff.selectAll().orderBy('id').limit(query.take).offset(offset).execute();
      const ids = rows.map(({ id }) => id);
      const expOf = await vipProgressOf(db, ids);
      return rows.map((row) => ({ ...toUserDto(row, sightOf(by.user), expOf(row.id)), roles: row.roles }));
    });
  },
});

export const listRoles = operation({
  ...reading,
  path: '/admin/user/get-all-roles-with-users',
  summary: 'List roles with their permissions and users',
  response: z.array(RoleWithUsers),
  handler: async ({ db }: Deps, { by }) => {
    const staff = await db
      .selectFrom('users')
      .select(SHORT_USER_COLUMNS)
      .select('roles')
      .where('is_staff', '=', true)
      .where('roles', '<>', sql<string[]>`'{}'`)
      .orderBy('id')
      .limit(MAX_STAFF)
      .execute();
    const sight = sightOf(by.user);
    return (await readAllRoles(db, sight)).map(({ name, permissions }) => ({
      role: name,
      permissions,
      users: staff.filter(({ roles }) => roles.includes(name)).map((user) => toShortPrivateUser(user, sight)),
    }));
  },
});
