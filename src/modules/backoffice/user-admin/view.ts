import type { z } from 'zod';
import type { Config } from '../../../platform/config/config.ts';
import type { Db, DbOrTx } from '../../../platform/database/db.ts';
import type { Files } from '../../../platform/files/files.ts';
import type { Mfa } from '../../accounts/auth/second-factor/prove.ts';
import type { Actor } from '../../base/access/rules.ts';
import type { Mail } from '../../base/mail/service.ts';
import type { StaffValueDeps } from '../../base/staff-value/service.ts';
import type { UserDto } from '../../base/users/schemas.ts';
import { holds, sightOf, toUserDto, type UserRow, vipProgressOf } from '../../base/users/service.ts';
import type { Grants } from '../../money/bonus/grants.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { UserMarks } from './marks.ts';

export type UserAdminDeps = StaffValueDeps & {
  db: Db;
  /** The database from which the user list is read. Its data may be slightly out of date. */
  reads: Db;
  config: Pick<Config, 'BRAND_NAME'>;
  currencies: Pick<Currencies, 'get' | 'rateOf' | 'toUsd'>;
  files: Pick<Files, 'forget'>;
  grants: Pick<Grants, 'endAll'>;
  mail: Mail;
  mfa: Pick<Mfa, 'stepUp'>;
  userAdmin: { marks: UserMarks };
};

/** Returns a user with the fields that staff may see. Unmasked email addresses require `user.pii`, and permissions require `staff.read`. */
export const viewOf = async (
  db: DbOrTx,
  user: UserRow,
  reader: Pick<Actor, 'isSuperAdmin' | 'permissions'>,
): Promise<z.input<typeof UserDto>> => ({
  ...toUserDto(user, sightOf(reader), (await vipProgressOf(db, [user.id]))(user.id)),
  ...(holds(reader, 'staff.read') ? {} : { permissions: [] }),
});
