import { sql } from 'kysely';
import { type Db, run } from './db.ts';
import { int4Array, int8Array, textArray } from './pg-arrays.ts';

type Hits = { key: string; window: number; hits: number };

/** Counters that all processes share: adds hits and returns the new totals, in the given order. */
export function createHitStore(db: Db) {
  return async (hits: readonly Hits[]): Promise<number[]> => {
    // Ascending keys: two processes adding to the same counters cannot block each other.
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
/** A strike counts for ten minutes, counted in whole minutes. */
const STRIKE_MINUTES = 10;

/** Counts a strike of a user, and returns how many strikes of theirs count now. */
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

/** Forgets counters of windows (minutes) that are over. */
export async function purgeHits(db: Db): Promise<void> {
  await db
    .deleteFrom('rate_limits')
    .where(
      'window_start',
      '<',
      sql<bigint>`floor(extract(epoch from now()) / 60)::int8 - 2
      - case when starts_with(key, ${STRIKE}) then ${sql.lit(STRIKE_MINUTES)} else 0 end`,
    )
    .execute();
}
