import { expect } from 'vitest';
import type { TestApp } from '../app.ts';

/**
 * Ends a user's sessions while a request of one of them is running. The sign-out is committed once the request waits for it, so the request
 * is still authenticated. Returns the response.
 */
export async function whileSessionsEnd<T>(
  { db, sql }: Pick<TestApp, 'db' | 'sql'>,
  userId: number,
  request: () => Promise<T>,
): Promise<T> {
  const waiters = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows.length;
  };
  let waiting: Promise<T> | undefined;
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', userId).execute();
    waiting = request();
    await expect.poll(waiters).toBe(1);
  });
  return waiting!;
}
