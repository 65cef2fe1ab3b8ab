import { defineModule } from '../../../http/module.ts';
import { checks } from './checks.ts';
import { getTipLimits, listTips } from './list.ts';
import { sendTip, userTipEvents, userTipMessages } from './send.ts';

export const userTips = defineModule({
  name: 'user-tips',
  events: userTipEvents,
  tags: { 'User tips': 'Tips between players.' },
  messages: userTipMessages,
  checks,
  operations: [sendTip, listTips, getTipLimits],
});
