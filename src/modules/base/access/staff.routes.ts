import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { userErrors } from '../users/errors.ts';
import { UserDto } from '../users/schemas.ts';
import { sightOf } from '../users/service.ts';
import { accessErrors } from './errors.ts';
import {
  AllPermissions,
  NewStaff,
  PermissionsChange,
  RolesChange,
  RoleWithUsers,
  SingleRole,
  StaffPage,
  StaffQuery,
  UserPath,
} from './schemas.ts';
import type { Access } from './staff.ts';

const tag = 'Admin User';
const reading = { method: 'GET', tag, access: { permission: 'staff.read' } } as const;
const changing = { method: 'PUT', tag, gate: 'none', stepUp: true } as const;
const managing = [userErrors.USER_NOT_FOUND, userErrors.BOT_ACCOUNT, commonErrors.OWN_ACCOUNT];
const granting = [
  accessErrors.PERMISSION_UNKNOWN,
  accessErrors.PERMISSION_NOT_HELD,
  accessErrors.GRANT_NEEDS_SUPERADMIN,
];

export const accessStaffRoutes = (access: Access) => [
  route({
    ...reading,
    path: '/admin/user/all-permissions',
    summary: 'Every permission, with what it allows',
    response: AllPermissions,
    handler: () => access.allPermissions(),
  }),
  route({
    ...reading,
    path: '/admin/user/get-admins-with-roles',
    summary: 'Staff with roles and permissions',
    query: StaffQuery,
    response: StaffPage,
    handler: ({ query, by }) => access.staff(query, sightOf(by.user)),
  }),
  route({
    ...reading,
    path: '/admin/user/get-all-roles-with-users',
    summary: 'Every role: what it allows and who has it',
    response: z.array(RoleWithUsers),
    handler: ({ by }) => access.rolesWithUsers(sightOf(by.user)),
  }),
  route({
    ...changing,
    path: '/admin/user/add-single-role',
    access: 'superadmin',
    summary: 'Give a user one more role',
    body: SingleRole,
    response: UserDto,
    errors: [...managing, accessErrors.ROLE_UNKNOWN],
    handler: ({ by, body }) => access.addRole(by, body),
  }),
  route({
    ...changing,
    path: '/admin/user/revoke-single-role',
    access: 'superadmin',
    summary: 'Take one role from a user',
    body: SingleRole,
    response: UserDto,
    errors: [...managing, accessErrors.ROLE_UNKNOWN],
    handler: ({ by, body }) => access.revokeRole(by, body),
  }),
  route({
    method: 'POST',
    path: '/admin/user/admin-user',
    tag,
    access: { permission: 'staff.write' },
    gate: 'none',
    stepUp: true,
    summary: 'Open an account for a member of staff',
    description:
      'The password is temporary: the account has no rights (403 STAFF_NOT_ACTIVATED) before its owner has verified the e-mail address ' +
      'and set a password of their own; the link of POST /user/forgot-password does both. Rights to approve or pay (`*.approve`, ' +
      '`*.pay`) are granted by superadmins only. Without `email` the account cannot sign in, and none can be added here later: ' +
      'nobody can use it.',
    body: NewStaff,
    response: UserDto,
    errors: [
      ...granting,
      userErrors.AUTH_USER_EXISTS,
      userErrors.USERNAME_RESERVED,
      userErrors.PASSWORD_BREACHED,
    ],
    handler: ({ by, body }) => access.createStaff(by, body),
  }),
  route({
    ...changing,
    path: '/admin/user/{id}/roles',
    access: 'superadmin',
    summary: "Replace a user's roles",
    params: UserPath,
    body: RolesChange,
    response: SuccessResponse,
    errors: [...managing, accessErrors.ROLE_UNKNOWN],
    handler: ({ by, params, body }) => access.setRoles(by, params.id, body.roles),
  }),
  route({
    ...changing,
    path: '/admin/user/{id}/permissions',
    access: { permission: 'staff.write' },
    summary: "Replace a user's own permissions",
    description:
      'What is added and what is taken away: staff needs to hold both. Rights to approve or pay (`*.approve`, `*.pay`) are granted by ' +
      'superadmins only. Roles stay as they are. Rights do not count before the e-mail address of the user is verified.',
    params: UserPath,
    body: PermissionsChange,
    response: SuccessResponse,
    errors: [...managing, ...granting],
    handler: ({ by, params, body }) => access.setPermissions(by, params.id, body.permissions),
  }),
];
