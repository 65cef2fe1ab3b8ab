import { event } from '../events/schemas.ts';
import { Notification } from './schemas.ts';

export const declares = {
  about: 'notifications of players, in their language',
  tags: { Notifications: 'Notifications of players, read and unread.' },
  events: {
    'notification.new': event('user', 'A notification, as GET /notifications lists it.', Notification),
  },
} as const;
