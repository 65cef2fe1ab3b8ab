import { defineModule } from '../../../http/module.ts';
import { getUserGate } from './gate.ts';

export const userOverview = defineModule({
  name: 'user-overview',
  operations: [getUserGate],
});
