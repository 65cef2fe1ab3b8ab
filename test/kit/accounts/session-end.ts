import { expect } from 'vitest';
import type { TestApp } from '../app.ts';
import { waiters } from '../games/turns.ts';

/**
 * Ends a user's sessions while a request of one of them is running. The sign-out is committed once the request waits for it, so the request
 * is still authenticated. Returns the response.
 */
export async function whileSessionsEnd<T>(
  app: Pick<TestApp, 'db'>,
  userId: number,
  request: () => Promise<T>,
): Promise<T> {
  let waiting: Promise<T> | undefined;
  await app.db.transaction().execute(async (tx) => {
    await tx.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', userId).execute();
    waiting = request();
    await expect.poll(() => waiters(app)).toBe(1);
  });
  return waiting!;
}
