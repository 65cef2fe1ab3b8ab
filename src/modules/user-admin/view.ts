import type { z } from 'zod';
import type { StaffCall } from '../../http/access.ts';
import type { UserDto } from '../users/schemas.ts';
import { sightOf, toUserDto, type UserRow } from '../users/service.ts';

/** Whether whoever calls may do what this permission is for. */
export const holds = ({ user }: StaffCall, permission: string): boolean =>
  user.isSuperAdmin || user.permissions.has(permission);

/** What this member of staff sees of a user: addresses in full with `user.pii`, permissions with `staff.read`. */
export const viewOf = (user: UserRow, by: StaffCall): z.input<typeof UserDto> => ({
  ...toUserDto(user, sightOf(by.user)),
  ...(holds(by, 'staff.read') ? {} : { permissions: [] }),
});
