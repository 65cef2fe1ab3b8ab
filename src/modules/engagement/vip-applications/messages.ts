import { message } from '../../base/notifications/message.ts';

export const messages = {
  'vip.approved': message<{ applicationId: string; level: number }>('VIP', {
    en: { title: 'VIP application approved', body: (f) => `Your VIP level is now ${f.level}.` },
    de: { title: 'VIP-Antrag angenommen', body: (f) => `Ihre VIP-Stufe ist jetzt ${f.level}.` },
    es: { title: 'Solicitud VIP aprobada', body: (f) => `Su nivel VIP es ahora ${f.level}.` },
  }),
  'vip.rejected': message<{ applicationId: string }>('VIP', {
    en: { title: 'VIP application not approved', body: 'We could not approve your application this time.' },
    de: { title: 'VIP-Antrag nicht angenommen', body: 'Wir konnten Ihren Antrag diesmal nicht annehmen.' },
    es: { title: 'Solicitud VIP no aprobada', body: 'Esta vez no hemos podido aprobar su solicitud.' },
  }),
};
