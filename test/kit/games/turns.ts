import { sql } from 'kysely';
import { vi } from 'vitest';
import type { Tx } from '../../../src/platform/database/db.ts';
import type { Answer, TestApp } from '../app.ts';

/** Returns the number of database connections that wait for a lock. */
export const waiters = async ({ db }: Pick<TestApp, 'db'>): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]!.n;
};

/**
 * Makes calls one after the other while a transaction holds a lock. Each call starts when the previous one has returned or waits for a
 * lock. Then the lock is released. A call may therefore pass its first checks with data that is outdated when the call gets the lock.
 */
export async function inTurn(
  app: TestApp,
  hold: (tx: Tx) => Promise<unknown>,
  ...calls: (() => Promise<Answer>)[]
): Promise<Answer[]> {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = app.services.db.transaction().execute(async (tx) => {
    await hold(tx);
    held.resolve();
    await release.promise;
  });
  await Promise.race([held.promise, holding]);
  const answers: Promise<Answer>[] = [];
  try {
    for (const call of calls) {
      const before = await waiters(app);
      let isAnswered = false;
      answers.push(
        call().finally(() => {
          isAnswered = true;
        }),
      );
      const isOnItsWay = async () => !isAnswered && (await waiters(app)) === before;
      await vi.waitUntil(async () => !(await isOnItsWay()), { timeout: 20_000, interval: 10 });
    }
  } finally {
    release.resolve();
    await holding;
  }
  return Promise.all(answers);
}
