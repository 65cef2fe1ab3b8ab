import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';

export type Limit = { key: string; tries: number; windowSeconds: number };
/** How many tries a window has seen, and how long it stays open. */
export type Count = { tries: number; waitSeconds: number };

/**
 * Takes one try of each limit before the attempt is made, so that parallel attempts cannot pass together. Returns the seconds until
 * the tightest exhausted limit opens again, or 0. A window runs from its first try.
 */
export async function takeTry(db: DbOrTx, limits: readonly Limit[]): Promise<number> {
  let longest = 0;
  // Sorted, so that two attempts never wait for each other.
  for (const { key, tries: allowed, windowSeconds } of [...limits].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const { tries, waitSeconds } = await countTry(db, key, windowSeconds);
    if (tries > allowed) longest = Math.max(longest, waitSeconds);
  }
  return longest;
}

/** Takes one try of a limit. Throws 429 RATE_LIMITED with the seconds to wait when it is exhausted. */
export async function assertTry(db: DbOrTx, limit: Limit): Promise<void> {
  const retryAfterSeconds = await takeTry(db, [limit]);
  if (retryAfterSeconds > 0) throw commonErrors.RATE_LIMITED({ retryAfterSeconds });
}

/** Counts one try; returns the tries of the window, including this one. */
export async function countTry(db: DbOrTx, key: string, windowSeconds: number): Promise<Count> {
  const { rows } = await sql<Count>`
    insert into attempts as a (key, tries, expires_at)
    values (${key}, 1, now() + make_interval(secs => ${windowSeconds}))
    on conflict (key) do update set
      tries = case when a.expires_at <= now() then 1 else a.tries + 1 end,
      expires_at = case when a.expires_at <= now() then excluded.expires_at else a.expires_at end
    returning tries, greatest(1, ceil(extract(epoch from expires_at - now())))::int as "waitSeconds"`.execute(
    db,
  );
  return rows[0]!;
}

/** Gives back the tries of an attempt that succeeded: `all` of them, or the one it took. */
export async function giveBack(db: DbOrTx, keys: readonly string[], how: 'all' | 'one'): Promise<void> {
  if (keys.length === 0) return;
  if (how === 'all') {
    await db
      .deleteFrom('attempts')
      .where('key', 'in', [...keys])
      .execute();
    return;
  }
  await db
    .updateTable('attempts')
    .set({ tries: sql`greatest(tries - 1, 0)` })
    .where('key', 'in', [...keys])
    .execute();
}

/** Deletes windows that are over. */
export async function purgeAttempts(db: DbOrTx): Promise<void> {
  await db.deleteFrom('attempts').where('expires_at', '<', sql<Date>`now()`).execute();
}
