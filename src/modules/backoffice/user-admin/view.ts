import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { UserDto } from '../../base/users/schemas.ts';
import { sightOf, toUserDto, type UserRow } from '../../base/users/service.ts';

/** Whether whoever calls, or acts with fresh rights, may do what this permission is for. */
type Reader = Pick<StaffCall['user'], 'isSuperAdmin' | 'permissions'>;

export const holds = ({ user }: { user: Reader }, permission: string): boolean =>
  user.isSuperAdmin || user.permissions.has(permission);

/** What this member of staff sees of a user: addresses in full with `user.pii`, permissions with `staff.read`. */
export const viewOf = (user: UserRow, by: { user: Reader }): z.input<typeof UserDto> => ({
  ...toUserDto(user, sightOf(by.user)),
  ...(holds(by, 'staff.read') ? {} : { permissions: [] }),
});
