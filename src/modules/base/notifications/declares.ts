import { event } from '../events/schemas.ts';
import { Notification } from './schemas.ts';

export const declares = {
  about: "players' notifications, in their language",
  tags: { Notifications: "Players' notifications, seen and unseen." },
  events: {
    'notification.new': event('user', 'A new notification, in the form of GET /notifications.', Notification),
  },
} as const;
