import { defineModule } from '../../../http/module.ts';
import { getTipLimits, listTips } from './list.ts';
import { sendTip } from './send.ts';

export const userTips = defineModule({
  name: 'user-tips',
  operations: [sendTip, listTips, getTipLimits],
});
