import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';

export type Limit = { key: string; tries: number; windowSeconds: number };
/** `waitSeconds` is the time until the current counting window ends. */
type Count = { tries: number; waitSeconds: number };

/**
 * Counts an attempt towards each limit before the attempt is made, so that parallel attempts cannot exceed a limit. Returns the longest
 * time in seconds until an exhausted limit resets, or 0 if no limit is exhausted. A window starts with its first attempt.
 */
export async function takeTries(db: DbOrTx, limits: readonly Limit[]): Promise<number> {
  let longest = 0;
  // Limits are updated in sorted order to prevent deadlocks between attempts.
  for (const { key, tries: allowed, windowSeconds } of [...limits].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const { tries, waitSeconds } = await countTry(db, key, windowSeconds);
    if (tries > allowed) longest = Math.max(longest, waitSeconds);
  }
  return longest;
}

/** Counts one attempt. Throws 429 RATE_LIMITED with the seconds to wait if the limit is exhausted. */
export async function assertTry(db: DbOrTx, limit: Limit): Promise<void> {
  const retryAfterSeconds = await takeTries(db, [limit]);
  if (retryAfterSeconds > 0) throw commonErrors.RATE_LIMITED({ retryAfterSeconds });
}

/** Counts one attempt and returns the number of attempts in the window, including this one. */
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

/** Reduces the counters, for example after a successful attempt. `all` resets them, and `one` subtracts a single attempt. */
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
