import { sql } from 'kysely';
import type { z } from 'zod';
import { untilNone } from '../../../platform/batches.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { getUser } from '../users/service.ts';
import { addNotification, KEPT, type NewNotification, type Shown, show } from './notify.ts';
import type { SendNotification } from './schemas.ts';

export type Notifications = ReturnType<typeof createNotifications>;

const BATCH = 1000;

/** What players were told. */
export function createNotifications({ db }: { db: Db }) {
  return {
    /** A player's own, newest first: the newest hundred, of which no more are kept. */
    async list(userId: number): Promise<Shown[]> {
      const rows = await db
        .selectFrom('notifications')
        .select(['id', 'type', 'title', 'body', 'payload', 'is_aware', 'created_at'])
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(KEPT)
        .execute();
      return rows.map(show);
    },

    /** Marks all of the user's notifications as seen. */
    async markAware(userId: number): Promise<void> {
      await sql`
        update notifications set is_aware = true where user_id = ${userId} and id in (
          select id from notifications where user_id = ${userId} and not is_aware
          order by id for update)`.execute(db);
    },

    /** Removes all of the user's notifications. */
    async removeAll(userId: number): Promise<void> {
      await sql`
        delete from notifications where user_id = ${userId} and id in (
          select id from notifications where user_id = ${userId} order by id for update)`.execute(db);
    },

    /** Tells somebody anything: see debug. Throws 404 USER_NOT_FOUND. */
    send: ({ payload, ...rest }: z.output<typeof SendNotification>): Promise<Shown> =>
      transaction(db, async (tx) => {
        await getUser(tx, rest.userId);
        const notification: NewNotification = payload ? { ...rest, payload } : rest;
        return addNotification(tx, notification);
      }),

    /** Takes away what is older than so many days, in small bites. */
    purge: (keepDays: number): Promise<void> =>
      untilNone(
        db,
        sql`delete from notifications where (user_id, id) in (
          select user_id, id from notifications where created_at < now() - make_interval(days => ${keepDays})
          limit ${BATCH} for update skip locked)`,
      ),
  };
}
