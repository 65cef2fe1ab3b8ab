import { z } from 'zod';
import { object, PageNumber, page, take } from '../../../http/schemas.ts';
import { Email, Password, ShortPrivateUser, UserDto, UserId, Username } from '../users/schemas.ts';

const Names = z.array(z.string().min(1).max(64)).max(100);

const PermissionInfo = object('PermissionInfo', {
  name: z.string(),
  group: z.string(),
  description: z.string(),
});

export const AllPermissions = object('AllPermissions', { permissions: z.array(PermissionInfo) });

export const RoleWithUsers = object('RoleWithUsers', {
  role: z.string(),
  permissions: z.array(z.string()),
  users: z.array(ShortPrivateUser),
});

export const UserWithRoles = object('UserWithRoles', { ...UserDto.shape, roles: z.array(z.string()) });

export const StaffPage = page(UserWithRoles);
export const StaffQuery = z.strictObject({ page: PageNumber, take: take(100) });

export const UserPath = z.object({ id: UserId });
export const RolesChange = z.strictObject({ roles: Names });
export const PermissionsChange = z.strictObject({ permissions: Names });
export const SingleRole = z.strictObject({ username: Username, role: z.string().min(1).max(64) });

/** What the command that appoints the first superadmin takes. */
export const FirstSuperAdmin = z.strictObject({
  username: Username,
  email: Email,
  password: Password.optional(),
});

export const NewStaff = z.strictObject({
  username: Username,
  password: Password,
  email: Email.optional(),
  permissions: Names.optional(),
});
