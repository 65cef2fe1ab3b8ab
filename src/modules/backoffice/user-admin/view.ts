import type { z } from 'zod';
import type { DbOrTx } from '../../../platform/database/db.ts';
import type { Actor } from '../../base/access/rules.ts';
import type { UserDto } from '../../base/users/schemas.ts';
import { holds, sightOf, toUserDto, type UserRow, vipProgressOf } from '../../base/users/service.ts';

/** Returns a user with the fields that staff may see. Unmasked email addresses require `user.pii`, and permissions require `staff.read`. */
export const viewOf = async (
  db: DbOrTx,
  user: UserRow,
  reader: Pick<Actor, 'isSuperAdmin' | 'permissions'>,
): Promise<z.input<typeof UserDto>> => ({
  ...toUserDto(user, sightOf(reader), (await vipProgressOf(db, [user.id]))(user.id)),
  ...(holds(reader, 'staff.read') ? {} : { permissions: [] }),
});
