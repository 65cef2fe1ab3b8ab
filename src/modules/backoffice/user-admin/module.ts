import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { banUser, unbanUser, unbanUserInBackoffice } from './ban.ts';
import { editUser } from './edit.ts';
import { getUserForStaff } from './get.ts';
import { listUsers, listUsersByQuery, listUsersInBackoffice } from './list.ts';
import { createMarks } from './marks.ts';
import { resetAvatar } from './reset-avatar.ts';
import { resetMfa } from './reset-mfa.ts';
import { setBalance } from './set-balance.ts';

export const userAdmin = defineModule({
  name: 'user-admin',
  create: ({ reads }: { reads: Db }) => ({ userAdmin: { marks: createMarks(reads) } }),
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
