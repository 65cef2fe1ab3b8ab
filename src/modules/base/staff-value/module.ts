import { defineModule } from '../../../http/module.ts';
import { listWaitingActions } from './waiting.ts';

export const staffValue = defineModule({ name: 'staff-value', operations: [listWaitingActions] });
