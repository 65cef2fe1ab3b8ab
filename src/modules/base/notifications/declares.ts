import { event } from '../events/schemas.ts';
import { Notification } from './schemas.ts';

export const declares = {
  about: 'what players are told, in their language',
  tags: { Notifications: 'What players are told, and what they have seen of it.' },
  events: {
    'notification.new': event('user', 'A notification, as GET /notifications lists it.', Notification),
  },
} as const;
