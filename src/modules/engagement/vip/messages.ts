import { message } from '../../base/notifications/message.ts';

export const messages = {
  'vip.level': message<{ level: number }>('VIP', {
    en: { title: 'New VIP level', body: (f) => `You have reached VIP level ${f.level}.` },
    de: { title: 'Neue VIP-Stufe', body: (f) => `Sie haben VIP-Stufe ${f.level} erreicht.` },
    es: { title: 'Nuevo nivel VIP', body: (f) => `Ha alcanzado el nivel VIP ${f.level}.` },
  }),
};
