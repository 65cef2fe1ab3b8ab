import { defineModule } from '../../../http/module.ts';
import { listWaitingActions } from './waiting.ts';

export const staffValue = defineModule({
  name: 'staff-value',
  tags: { Approvals: 'Staff actions waiting for a second person.' },
  operations: [listWaitingActions],
});
