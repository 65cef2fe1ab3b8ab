import { defineModule } from '../../../http/module.ts';
import { PAY_LEVELS, runPayLevels, type VipDeps, vipMessages } from './levels.ts';

export const vip = defineModule({
  name: 'vip',
  messages: vipMessages,
  checks: {
    N8: {
      'a paid level reward has no grant, or its grant has no paid reward': `
        select r.user_id, r.level, r.status, g.id as grant_id from (select * from vip_rewards where status = 'PAID') r
        full join (select * from promo_grants where source_key ~ '^vip:\\d+:\\d+$') g
          on g.id = r.grant_id and g.user_id = r.user_id and g.source_key = 'vip:' || r.user_id || ':' || r.level
        where r.user_id is null or g.id is null`,
    },
  },
  tasks: (deps: VipDeps) => ({ [PAY_LEVELS]: (payload) => runPayLevels(deps, payload) }),
});
