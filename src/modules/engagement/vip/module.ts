import { defineModule } from '../../../http/module.ts';
import { PAY_LEVELS, runPayLevels, type VipDeps } from './levels.ts';

export const vip = defineModule({
  name: 'vip',
  operations: [],
  tasks: (deps: VipDeps) => ({ [PAY_LEVELS]: (payload) => runPayLevels(deps, payload) }),
});
