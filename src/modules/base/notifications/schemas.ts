import { z } from 'zod';
import { Moment, strictObject, text } from '../../../http/schemas.ts';
import { event, events } from '../events/schemas.ts';

export const Notification = strictObject('NotificationDto', {
  id: z.string(),
  type: z.enum([
    ...(['SYSTEM', 'SECURITY', 'DEPOSIT', 'WITHDRAW', 'PROMO', 'RAKEBACK', 'AFFILIATE', 'TIP'] as const),
    ...(['VIP', 'KYC', 'LIMIT', 'LEADERBOARD', 'CHALLENGE'] as const),
  ]),
  title: z.string(),
  body: z.string(),
  payload: z.record(z.string(), z.unknown()).nullable(),
  isAware: z.boolean(),
  createdAt: Moment,
});

/** Accepts any text, because this schema is used only for development. The platform's own notifications are shorter. */
export const SendNotification = strictObject('SendNotificationRequestDto', {
  userId: z.number().int().min(1).max(2_147_483_647).meta({ example: 2_000_000_000 }),
  type: Notification.shape.type.default('SYSTEM'),
  title: text(200).min(1),
  body: text(2000),
  payload: z.record(z.string(), z.unknown()).optional(),
});

export const notificationEvents = events({
  'notification.new': event('user', 'A new notification, in the form of GET /notifications.', Notification),
});
