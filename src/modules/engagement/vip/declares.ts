import { message } from '../../base/notifications/message.ts';

export const declares = {
  about: 'VIP levels reached by wagering, and their rewards',
  messages: {
    'vip.level': message<{ level: number }>('VIP', {
      en: { title: 'New VIP level', body: (f) => `You have reached VIP level ${f.level}.` },
      de: { title: 'Neue VIP-Stufe', body: (f) => `Sie haben VIP-Stufe ${f.level} erreicht.` },
      es: { title: 'Nuevo nivel VIP', body: (f) => `Ha alcanzado el nivel VIP ${f.level}.` },
    }),
  },
  checks: {
    'a reward of a level was paid without its grant, or its grant without it': `
      select r.user_id, r.level, r.status, g.id as grant_id from (select * from vip_rewards where status = 'PAID') r
      full join (select * from promo_grants where source_key ~ '^vip:\\d+:\\d+$') g
        on g.id = r.grant_id and g.user_id = r.user_id and g.source_key = 'vip:' || r.user_id || ':' || r.level
      where r.user_id is null or g.id is null`,
  },
} as const;
