import { route } from '../../../http/route.ts';
import { NotificationList } from './schemas.ts';
import type { Notifications } from './service.ts';

const tag = 'Notifications';

export const notificationRoutes = (notifications: Notifications) => [
  route({
    method: 'GET',
    path: '/notifications',
    tag,
    access: 'auth',
    summary: "The player's notifications",
    description: 'The newest 100, newest first; older ones are deleted.',
    response: NotificationList,
    handler: ({ user }) => notifications.list(user.id),
  }),
  route({
    method: 'DELETE',
    path: '/notifications',
    tag,
    access: 'auth',
    gate: 'none',
    summary: 'Delete all notifications',
    handler: ({ user }) => notifications.removeAll(user.id),
  }),
  route({
    method: 'POST',
    path: '/notifications/aware',
    tag,
    access: 'auth',
    gate: 'none',
    summary: 'Mark all notifications as seen',
    handler: ({ user }) => notifications.markAware(user.id),
  }),
];
