import { defineModule } from '../../../http/module.ts';
import { endTurnover } from './end-turnover.ts';
import { adminTipMessages, deductBalance, giveTip } from './give.ts';
import { listAdminTips, listReceivedAdminTips } from './list.ts';

export const adminTips = defineModule({
  name: 'admin-tips',
  tags: {
    'Admin Tips':
      'Tips that staff give to players, and deductions. Players can list the tips that they received.',
  },
  messages: adminTipMessages,
  checks: {
    N10: {
      'a tip or deduction by staff does not match exactly one ledger entry': `
        select t.id, t.kind, coalesce(t.entry_id, m.entry_id) as entry_id, t.recipient_id, t.currency_id, t.amount, m.lines, m.given, m.taken
        from (select t.*, e.id as entry_id, e.actor_id from admin_tips t left join ledger_entries e on e.key = 'admintip:' || t.id) t
        full join (
          select entry_id, count(*) as lines, min(user_id) as user_id, min(currency_id) as currency_id,
            coalesce(sum(amount) filter (where kind = 'admin.tip' and debit = 107 and credit = 1), 0) as given,
            coalesce(sum(amount) filter (where kind = 'admin.deduction' and debit = 1 and credit = 107), 0) as taken
          from ledger_lines where kind in ('admin.tip', 'admin.deduction') group by 1) m on m.entry_id = t.entry_id
        where t.id is null or t.entry_id is null or t.actor_id is distinct from t.sender_id
          or t.entry_id >= archived_below('ledger_lines') and (m.lines, m.user_id, m.currency_id, m.given, m.taken) is distinct from (1, t.recipient_id,
            t.currency_id, case t.kind when 'TIP' then t.amount else 0 end, case t.kind when 'DEDUCTION' then t.amount else 0 end)`,
    },
  },
  operations: [listReceivedAdminTips, listAdminTips, giveTip, deductBalance, endTurnover],
  backoffice: {
    // In the backoffice, the API specification requires status 201 for payment operations.
    operations: [listAdminTips, { ...giveTip, status: 201 }, { ...deductBalance, status: 201 }],
    without: '/admin',
    tag: 'Admin Tips',
  },
});
