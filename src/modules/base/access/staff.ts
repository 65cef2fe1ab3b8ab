import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { type Db, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { recordAudit } from '../audit/service.ts';
import { Email, Password, UserDto, UserId, Username, userErrors } from '../users/schemas.ts';
import {
  assertNoBot,
  setRights,
  sightOf,
  toUserDto,
  type UserKey,
  type UserRow,
  vipProgressOf,
} from '../users/service.ts';
import { accessErrors } from './errors.ts';
import { assertMayChangePermissions } from './roles/rules.ts';
import { assertRolesExist } from './roles/stored.ts';
import { assertMayGrant } from './rules.ts';
import { type Access, freshActor, lockManaged, lockSuperAdmins, unique } from './service.ts';

const Names = z.array(z.string().min(1).max(64)).max(100);

const NewStaff = z.strictObject({
  username: Username,
  password: Password,
  email: Email.optional(),
  permissions: Names.optional(),
});

const UserPath = z.object({ id: UserId });
const SingleRole = z.strictObject({ username: Username, role: z.string().min(1).max(64) });

export type AccessDeps = { db: Db; access: Pick<Access, 'register' | 'hashPassword' | 'sendVerification'> };
type Deps = Pick<AccessDeps, 'db'>;

const tag = 'Admin User';
const changing = { method: 'PUT', tag, gate: 'none', stepUp: true } as const;
const managing = [userErrors.USER_NOT_FOUND, userErrors.BOT_ACCOUNT, commonErrors.OWN_ACCOUNT];
const granting = [
  accessErrors.PERMISSION_UNKNOWN,
  accessErrors.PERMISSION_NOT_HELD,
  accessErrors.GRANT_NEEDS_SUPERADMIN,
];

/**
 * Creates a staff account with a temporary password. The account has no permissions until its owner has verified the email address and set
 * a password.
 */
export const createStaff = operation({
  method: 'POST',
  path: '/admin/user/admin-user',
  tag,
  access: { permission: 'staff.write' },
  gate: 'none',
  stepUp: true,
  summary: 'Create a staff account',
  description:
    'The password is temporary. The account has no permissions (403 STAFF_NOT_ACTIVATED) until its owner has verified the email ' +
    'address and set a new password; the link sent by POST /user/forgot-password does both. Only superadmins can grant ' +
    'permissions to approve or pay (`*.approve`, `*.pay`). An account without `email` can never sign in, because an email address ' +
    'cannot be added here later.',
  body: NewStaff,
  response: UserDto,
  errors: [
    ...granting,
    userErrors.AUTH_USER_EXISTS,
    userErrors.USERNAME_RESERVED,
    userErrors.PASSWORD_BREACHED,
  ],
  handler: async ({ db, access }: AccessDeps, { by, body: { username, password, email, permissions } }) => {
    const rights = { roles: [], permissions: unique(permissions ?? []) };
    // Avoids hashing the password for a call that will be rejected. The check is repeated while the lock is held.
    assertMayChangePermissions(by.user, [], rights.permissions);
    const passwordHash = await access.hashPassword(password, { username, email });
    return transaction(db, async (tx) => {
      await lockSuperAdmins(tx);
      const actor = await freshActor(tx, by);
      assertMayChangePermissions(actor, [], rights.permissions);
      const newUser = { username, email: email ?? null, passwordHash };
      const { id } = await access.register(tx, newUser, actor.isSuperAdmin);
      await setRights(tx, id, rights);
      const user = await tx
        .updateTable('users')
        .set({ is_staff: true, opened_by: by.user.id, password_is_temporary: true })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await access.sendVerification(tx, user);
      await recordAudit(tx, by, { after: { userId: id, username, permissions: rights.permissions } });
      return toUserDto(user, sightOf(actor), '0');
    });
  },
});

const changingRole = {
  ...changing,
  access: 'superadmin',
  body: SingleRole,
  response: UserDto,
  errors: [...managing, accessErrors.ROLE_UNKNOWN],
} as const;

export const addRole = operation({
  ...changingRole,
  path: '/admin/user/add-single-role',
  summary: 'Add a role to a user',
  handler: ({ db }: Deps, { by, body }) => changeRole(db, by, body, (roles) => unique([...roles, body.role])),
});

export const revokeRole = operation({
  ...changingRole,
  path: '/admin/user/revoke-single-role',
  summary: 'Remove a role from a user',
  handler: ({ db }: Deps, { by, body }) =>
    changeRole(db, by, body, (roles) => roles.filter((role) => role !== body.role)),
});

export const setRoles = operation({
  ...changing,
  path: '/admin/user/{id}/roles',
  access: 'superadmin',
  summary: "Replace a user's roles",
  params: UserPath,
  body: z.strictObject({ roles: Names }),
  response: SuccessResponse,
  errors: [...managing, accessErrors.ROLE_UNKNOWN],
  handler: async ({ db }: Deps, { by, params: { id }, body }) => {
    const roles = unique(body.roles);
    await changeRights(db, by, { key: { id }, names: roles }, ({ permissions }) => ({ roles, permissions }));
    return { success: true };
  },
});

export const setPermissions = operation({
  ...changing,
  path: '/admin/user/{id}/permissions',
  access: { permission: 'staff.write' },
  summary: "Replace a user's direct permissions",
  description:
    'Staff can only add or remove permissions that they have themselves. Only superadmins can grant permissions to approve or pay ' +
    "(`*.approve`, `*.pay`). Roles do not change. Permissions have no effect until the user's email address is verified.",
  params: UserPath,
  body: z.strictObject({ permissions: Names }),
  response: SuccessResponse,
  errors: [...managing, ...granting],
  handler: async ({ db }: Deps, { by, params: { id }, body }) => {
    const permissions = unique(body.permissions);
    await changeRights(db, by, { key: { id }, names: [] }, ({ roles }) => ({ roles, permissions }));
    return { success: true };
  },
});

async function changeRole(
  db: Db,
  by: StaffCall,
  { username, role }: z.output<typeof SingleRole>,
  next: (roles: string[]) => string[],
): Promise<z.input<typeof UserDto>> {
  const of = { key: { username }, names: [role] };
  const user = await changeRights(db, by, of, ({ roles, permissions }) => ({
    roles: next(roles),
    permissions,
  }));
  return toUserDto(user, sightOf(by.user), (await vipProgressOf(db, [user.id]))(user.id));
}

/** Changes the roles and permissions of a user. `names`: the roles that the request names, which must exist. */
async function changeRights(
  db: Db,
  by: StaffCall,
  { key, names }: { key: UserKey; names: readonly string[] },
  next: (user: UserRow) => Parameters<typeof setRights>[2],
): Promise<UserRow> {
  return transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    await assertRolesExist(tx, names);
    const { user, actor } = await lockManaged(tx, by, key);
    const rights = next(user);
    assertMayGrant(actor, user, rights);
    assertNoBot(user);
    const changed = await setRights(tx, user.id, rights);
    await recordAudit(tx, by, { before: rightsIn(user), after: rightsIn(changed) });
    return changed;
  });
}

/** A user's roles and permissions as they are stored in the audit log. */
const rightsIn = ({ id, roles, permissions, is_staff }: UserRow) => ({
  userId: id,
  roles,
  permissions,
  isStaff: is_staff,
});
