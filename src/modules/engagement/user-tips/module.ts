import { defineModule } from '../../../http/module.ts';
import { getTipLimits, listTips } from './list.ts';
import { sendTip, userTipEvents, userTipMessages } from './send.ts';

export const userTips = defineModule({
  name: 'user-tips',
  events: userTipEvents,
  tags: { 'User tips': 'Tips between players.' },
  messages: userTipMessages,
  checks: {
    'what players have tipped on a day is not the sum of their tips': `
      select user_id, day, d.sent_usd, t.sent_usd as sent_by_tips, d.received_usd, t.received_usd as received_by_tips from tip_days d
      full join (
        select user_id, (created_at at time zone 'UTC')::date as day, coalesce(sum(usd_amount) filter (where direction = 'SENT'), 0) as sent_usd,
          coalesce(sum(usd_amount) filter (where direction = 'RECEIVED'), 0) as received_usd
        from tip_sides group by 1, 2) t using (user_id, day)
      where (coalesce(d.sent_usd, 0), coalesce(d.received_usd, 0)) is distinct from (coalesce(t.sent_usd, 0), coalesce(t.received_usd, 0))`,
  },
  operations: [sendTip, listTips, getTipLimits],
});
