import { errors } from '../../../platform/errors.ts';
import { message } from '../../base/notifications/message.ts';

export const vipApplicationErrors = errors({
  VIP_APPLICATION_OPEN: [409, 'You already have an open application. Wait for the decision.'],
  VIP_APPLICATION_NOT_FOUND: [404, 'Application or image not found.'],
  VIP_APPLICATION_NOT_NEW: [409, 'Images can only be added before the review of the application starts.'],
  VIP_APPLICATION_IMAGES_FULL: [409, 'The application already has the maximum number of images.'],
  VIP_APPLICATION_DECIDED: [409, 'This application has already been decided; see details.status.'],
  VIP_LEVEL_REQUIRED: [400, "An approval needs a `vipLevel` that is not below the player's current level."],
});

export const declares = {
  about: 'VIP applications: players who are VIPs on another platform apply for a level',
  tags: {
    VipApplication: 'Apply for a VIP level with proof of play on another platform.',
    VipApplicationAdmin: 'Review VIP applications and decide on them.',
  },
  permissions: {
    'vip.read': 'View VIP applications with their images and the statistics and risk notes of applicants',
    'vip.approve': 'Review VIP applications and decide on them',
  },
  messages: {
    'vip.approved': message<{ applicationId: string; level: number }>('VIP', {
      en: { title: 'VIP application approved', body: (f) => `Your VIP level is now ${f.level}.` },
      de: { title: 'VIP-Antrag angenommen', body: (f) => `Ihre VIP-Stufe ist jetzt ${f.level}.` },
      es: { title: 'Solicitud VIP aprobada', body: (f) => `Su nivel VIP es ahora ${f.level}.` },
    }),
    'vip.rejected': message<{ applicationId: string }>('VIP', {
      en: {
        title: 'VIP application not approved',
        body: 'We could not approve your application this time.',
      },
      de: { title: 'VIP-Antrag nicht angenommen', body: 'Wir konnten Ihren Antrag diesmal nicht annehmen.' },
      es: { title: 'Solicitud VIP no aprobada', body: 'Esta vez no hemos podido aprobar su solicitud.' },
    }),
  },
} as const;
