import { z } from 'zod';
import { PageNumber, page, take } from '../../../http/schemas.ts';
import { Email, Password, ShortPrivateUser, UserDto, UserId, Username } from '../users/schemas.ts';

const Names = z.array(z.string().min(1).max(64)).max(100);

const PermissionInfo = z
  .object({ name: z.string(), group: z.string(), description: z.string() })
  .meta({ id: 'PermissionInfo' });

export const AllPermissions = z
  .object({ permissions: z.array(PermissionInfo) })
  .meta({ id: 'AllPermissions' });

export const RoleWithUsers = z
  .object({ role: z.string(), permissions: z.array(z.string()), users: z.array(ShortPrivateUser) })
  .meta({ id: 'RoleWithUsers' });

export const UserWithRoles = z
  .object({ ...UserDto.shape, roles: z.array(z.string()) })
  .meta({ id: 'UserWithRoles' });

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
