import { defineModule } from '../../../http/module.ts';
import { getTipLimits, listTips } from './list.ts';
import { sendTip, userTipEvents, userTipMessages } from './send.ts';

export const userTips = defineModule({
  name: 'user-tips',
  events: userTipEvents,
  tags: { 'User tips': 'Tips between players.' },
  messages: userTipMessages,
  checks: {
    N8: {
      "a player's daily tip totals are not the sums of their tips": `
        select user_id, day, d.sent_usd, t.sent_usd as sent_by_tips, d.received_usd, t.received_usd as received_by_tips from tip_days d
        full join (
          select user_id, (created_at at time zone 'UTC')::date as day, coalesce(sum(usd_amount) filter (where direction = 'SENT'), 0) as sent_usd,
            coalesce(sum(usd_amount) filter (where direction = 'RECEIVED'), 0) as received_usd
          from tip_sides group by 1, 2) t using (user_id, day)
        where (coalesce(d.sent_usd, 0), coalesce(d.received_usd, 0)) is distinct from (coalesce(t.sent_usd, 0), coalesce(t.received_usd, 0))`,
    },
    N10: {
      'a tip does not match exactly one ledger entry': `
        select t.id, coalesce(t.entry_id, m.entry_id) as entry_id, t.sender_id, t.recipient_id, t.currency_id, t.amount, m.lines, m.sent, m.received
        from (select t.*, e.id as entry_id from tips t left join ledger_entries e on e.key = 'tip:' || t.id) t
        full join (
          select entry_id, count(*) as lines, min(currency_id) as currency_id, max(currency_id) as other_currency_id,
            min(user_id) filter (where kind = 'tip.sent') as sender_id, min(user_id) filter (where kind = 'tip.received') as recipient_id,
            sum(amount) filter (where kind = 'tip.sent' and debit = 1 and credit = 107) as sent,
            sum(amount) filter (where kind = 'tip.received' and debit = 107 and credit = 1) as received
          from ledger_lines where kind in ('tip.sent', 'tip.received') group by 1) m on m.entry_id = t.entry_id
        where t.id is null or t.entry_id is null or t.entry_id >= archived_below('ledger_lines')
          and (m.lines, m.currency_id, m.other_currency_id, m.sender_id, m.recipient_id, m.sent, m.received) is distinct from
            (2, t.currency_id, t.currency_id, t.sender_id, t.recipient_id, t.amount, t.amount)`,
    },
  },
  operations: [sendTip, listTips, getTipLimits],
});
