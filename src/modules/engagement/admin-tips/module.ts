import { defineModule } from '../../../http/module.ts';
import { checks } from './checks.ts';
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
  checks,
  operations: [listReceivedAdminTips, listAdminTips, giveTip, deductBalance, endTurnover],
  backoffice: {
    // In the backoffice, the API specification requires status 201 for payment operations.
    operations: [listAdminTips, { ...giveTip, status: 201 }, { ...deductBalance, status: 201 }],
    without: '/admin',
    tag: 'Admin Tips',
  },
});
