import { sql } from 'kysely';
import { int4Array, int8Array, textArray } from '../database/arrays.ts';
import { untilNone } from '../database/batches.ts';
import { type Db, run } from '../database/db.ts';
import type { Overdue } from '../jobs/jobs.ts';

type Hits = { key: string; window: number; hits: number };

/** Creates counters shared by all processes. The returned function adds hits and returns the new totals in the given order. */
export function createHitStore(db: Db) {
  return async (hits: readonly Hits[]): Promise<number[]> => {
    // Ascending keys prevent deadlocks between two processes that add to the same counters.
    const sorted = [...hits].sort((a, b) => (a.key < b.key ? -1 : 1));
    const rows = await run<{ key: string; hits: number }>(db, {
      name: 'hits.add',
      text: `insert into rate_limits as r (key, window_start, hits)
        select * from unnest($1::text[], $2::int8[], $3::int4[])
        on conflict (key, window_start) do update set hits = r.hits + excluded.hits returning r.key, r.hits`,
      values: [
        textArray(sorted.map((h) => h.key)),
        int8Array(sorted.map((h) => BigInt(h.window))),
        int4Array(sorted.map((h) => h.hits)),
      ],
    });
    const totals = new Map(rows.map((row) => [row.key, row.hits]));
    return hits.map((h) => totals.get(h.key) ?? 0);
  };
}

const STRIKE = 'strike:';
/** A strike expires after ten minutes. Its age is measured in whole minutes. */
const STRIKE_MINUTES = 10;

/** Records a strike against a user and returns the user's current number of strikes. */
export async function addStrike(db: Db, who: string): Promise<number> {
  const key = `${STRIKE}${who}`;
  const { rows } = await sql<{ strikes: number }>`
    with now as (select floor(extract(epoch from now()) / 60)::int8 as minute),
    added as (
      insert into rate_limits as r (key, window_start, hits) select ${key}, minute, 1 from now
      on conflict (key, window_start) do update set hits = r.hits + 1 returning hits)
    select ((select hits from added) + coalesce((select sum(hits) from rate_limits
      where key = ${key} and window_start between minute - ${sql.lit(STRIKE_MINUTES)} and minute - 1), 0))::int as strikes
    from now`.execute(db);
  return rows[0]!.strikes;
}

const MINUTE = sql`floor(extract(epoch from now()) / 60)::int8`;
const PURGED_AT_ONCE = 10_000;

/** Deletes counters of past windows (minutes). */
export const purgeHits = (db: Db): Promise<void> =>
  untilNone(
    db,
    sql`delete from rate_limits where ctid = any(array(
      select ctid from rate_limits where window_start < ${MINUTE} - 2
        and (window_start < ${MINUTE} - 2 - ${sql.lit(STRIKE_MINUTES)} or not starts_with(key, ${STRIKE}))
      limit ${PURGED_AT_ONCE}))`,
  );

/** A rate limit counter expires after three minutes, and a strike expires later. The overdue metric uses the later expiry for both. */
export const overdueHits: Overdue = {
  table: 'rate_limits',
  due: () =>
    sql`select to_timestamp((window_start + ${sql.lit(STRIKE_MINUTES + 3)}) * 60) from rate_limits order by window_start limit 1`,
};
