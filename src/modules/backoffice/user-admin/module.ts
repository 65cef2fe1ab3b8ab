import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { banUser, unbanUser, unbanUserInBackoffice } from './ban.ts';
import { editUser } from './edit.ts';
import { createUserMarks } from './marks.ts';
import { getUserForStaff, listUsers, listUsersByQuery, listUsersInBackoffice } from './read.ts';
import { resetAvatar, resetMfa } from './reset.ts';
import { setBalance } from './set-balance.ts';

export const userAdmin = defineModule({
  name: 'user-admin',
  tags: { 'Admin User': 'Users, staff, roles, permissions, bans, notes, balances and the audit log.' },
  checks: {
    N6: {
      'an adjustment by staff does not match the ledger': `
        select v.id, v.input, v.entry_id, l.moved
        from staff_values v left join (
          select entry_id, user_id, currency_id, sum(case when credit = 1 then amount else -amount end) as moved
          from ledger_lines where kind = 'admin.adjustment' group by 1, 2, 3
        ) l on l.entry_id = v.entry_id and l.user_id = (v.input->>'userId')::int4 and l.currency_id = v.input->>'currencyId'
        where v.operation = 'balance' and v.entry_id >= (select archived_below('ledger_lines'))
          and l.moved is distinct from ((v.input->>'after')::numeric - (v.input->>'before')::numeric) * 100000000`,
    },
  },
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
