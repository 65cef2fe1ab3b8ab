import { route } from '../../../http/route.ts';
import { NotificationList } from './schemas.ts';
import type { Notifications } from './service.ts';

const own = { tag: 'Notifications', access: 'auth' } as const;

export const notificationRoutes = (notifications: Notifications) => [
  route({
    ...own,
    method: 'GET',
    path: '/notifications',
    summary: "The player's notifications",
    description: 'The newest 100, newest first; older ones are deleted.',
    response: NotificationList,
    handler: ({ user }) => notifications.list(user.id),
  }),
  route({
    ...own,
    method: 'DELETE',
    path: '/notifications',
    gate: 'none',
    summary: 'Delete all notifications',
    handler: ({ user }) => notifications.removeAll(user.id),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/notifications/aware',
    gate: 'none',
    summary: 'Mark all notifications as seen',
    handler: ({ user }) => notifications.markAware(user.id),
  }),
];
