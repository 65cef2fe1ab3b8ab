import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { banUser, unbanUser, unbanUserInBackoffice } from './ban.ts';
import { checks } from './checks.ts';
import { editUser } from './edit.ts';
import { createUserMarks } from './marks.ts';
import { getUserForStaff, listUsers, listUsersByQuery, listUsersInBackoffice } from './read.ts';
import { resetAvatar, resetMfa } from './reset.ts';
import { setBalance } from './set-balance.ts';

export const userAdmin = defineModule({
  name: 'user-admin',
  tags: { 'Admin User': 'Users, staff, roles, permissions, bans, notes, balances and the audit log.' },
  checks,
  create: ({ reads }: { reads: Db }) => ({ userAdmin: { marks: createUserMarks(reads) } }),
  operations: [listUsers, getUserForStaff, editUser, banUser, unbanUser, resetMfa, resetAvatar, setBalance],
  backoffice: {
    operations: [
      listUsersByQuery,
      listUsersInBackoffice,
      getUserForStaff,
      editUser,
      banUser,
      unbanUserInBackoffice,
      resetMfa,
      resetAvatar,
      setBalance,
    ],
    without: '/admin',
    tag: 'User',
  },
});
