import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import type { Db } from '../../../platform/database/db.ts';
import { MAX_PER_PLAYER, toNotification } from './notify.ts';
import { Notification } from './schemas.ts';

type Deps = { db: Db };

const own = { tag: 'Notifications', access: 'auth' } as const;

export const listNotifications = operation({
  ...own,
  method: 'GET',
  path: '/notifications',
  isHistory: true,
  summary: 'List your notifications, newest first',
  description: 'Returns the newest 100. Older notifications are deleted.',
  response: z.array(Notification),
  handler: async ({ db }: Deps, { user }) => {
    const rows = await db
      .selectFrom('notifications')
      .select(['id', 'type', 'title', 'body', 'payload', 'is_aware', 'created_at'])
      .where('user_id', '=', user.id)
      .orderBy('id', 'desc')
      .limit(MAX_PER_PLAYER)
      .execute();
    return rows.map(toNotification);
  },
});

export const countUnread = operation({
  ...own,
  method: 'GET',
  path: '/notifications/unread',
  isHistory: true,
  summary: 'Count your notifications that you have not seen',
  response: object('UnreadNotifications', { count: z.number().int() }),
  handler: ({ db }: Deps, { user }) =>
    db
      .selectFrom('notifications')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('user_id', '=', user.id)
      .where('is_aware', '=', false)
      .executeTakeFirstOrThrow(),
});

export const deleteNotifications = operation({
  ...own,
  method: 'DELETE',
  path: '/notifications',
  gate: 'none',
  summary: 'Delete all your notifications',
  handler: async ({ db }: Deps, { user }) => {
    await sql`
      delete from notifications where user_id = ${user.id} and id in (
        select id from notifications where user_id = ${user.id} order by id for update)`.execute(db);
  },
});

export const markNotificationsSeen = operation({
  ...own,
  method: 'POST',
  path: '/notifications/aware',
  gate: 'none',
  summary: 'Mark all your notifications as seen',
  handler: async ({ db }: Deps, { user }) => {
    await sql`
      update notifications set is_aware = true where user_id = ${user.id} and id in (
        select id from notifications where user_id = ${user.id} and not is_aware
        order by id for update)`.execute(db);
  },
});
