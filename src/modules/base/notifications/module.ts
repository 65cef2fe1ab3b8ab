import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import { DAY_SECONDS, purgeJob } from '../../../platform/jobs/purge.ts';
import { countUnread, deleteNotifications, listNotifications, markNotificationsSeen } from './own.ts';
import { notificationEvents } from './schemas.ts';

type Deps = { db: Db; config: Pick<Config, 'NOTIFICATIONS_KEEP_DAYS'> };

export const notifications = defineModule<Deps>({
  name: 'notifications',
  tags: { Notifications: "Players' notifications, seen and unseen." },
  events: notificationEvents,
  operations: [listNotifications, countUnread, deleteNotifications, markNotificationsSeen],
  jobs: ({ db, config }) => [
    purgeJob(db, {
      name: 'notifications.purge',
      everyMs: 3_600_000,
      expiries: [
        {
          table: 'notifications',
          after: 'created_at',
          keepSeconds: config.NOTIFICATIONS_KEEP_DAYS * DAY_SECONDS,
          brin: 'notifications_created_idx',
        },
      ],
    }),
  ],
});
