import type { Job } from '../../../platform/jobs.ts';
import type { Notifications } from './service.ts';

export const notificationJobs = (
  notifications: Notifications,
  { NOTIFICATIONS_KEEP_DAYS }: { NOTIFICATIONS_KEEP_DAYS: number },
): Job[] => [
  {
    name: 'notifications.purge',
    everyMs: 3_600_000,
    run: () => notifications.purge(NOTIFICATIONS_KEEP_DAYS),
  },
];
