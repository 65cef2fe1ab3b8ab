import type { DbOrTx } from '../../../platform/database/db.ts';
import { toUserDto, type UserRow, vipProgressOf } from '../../base/users/service.ts';

/** Includes personal data, because the caller is the developer who created the test user. */
export const toTestUser = async (db: DbOrTx, user: UserRow) =>
  toUserDto(user, { showsPii: true }, (await vipProgressOf(db, [user.id]))(user.id));
