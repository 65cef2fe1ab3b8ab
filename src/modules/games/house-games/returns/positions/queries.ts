import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../../platform/db.ts';
import type { Consumer } from '../../../bets/consume.ts';
import { effectsAfterCursor, generationOf } from '../../../bets/effects.ts';
import type { Period } from '../sums/rules.ts';
import { type Day, noCounts } from './rules.ts';

/** Adds to the counts; a row of an earlier generation is replaced. */
export async function writePositions(tx: Tx, generation: number, days: readonly Day[]): Promise<void> {
  if (days.length === 0) return;
  await tx
    .insertInto('game_positions')
    .values(
      days.map(({ gameId, day, counts }) => ({ game_id: gameId, day: new Date(day), generation, counts })),
    )
    .onConflict((oc) =>
      oc.columns(['game_id', 'day']).doUpdateSet({
        generation: sql`excluded.generation`,
        counts: sql`case when game_positions.generation <> excluded.generation then excluded.counts else (
          select array_agg(a + b order by cell)
          from unnest(game_positions.counts, excluded.counts) with ordinality as both_counts(a, b, cell)) end`,
      }),
    )
    .execute();
}

/**
 * The counts of a game in whole days. Undefined while the consumer has not applied all bets of these days, or has another
 * version. One statement, one snapshot.
 */
export async function readPositions(
  db: DbOrTx,
  { name, version = 0 }: Consumer,
  { gameId, from, until }: Period & { gameId: number },
): Promise<number[] | undefined> {
  const which = sql`game_id = ${gameId} and coalesce(settled_at, created_at) < ${until}`;
  const { rows } = await sql<{ isCounted: boolean; counts: number[] }>`
    select (select version from cursors where name = ${name}) = ${version}::int4
        and not exists (select from ${effectsAfterCursor(name, which)} effects)
        as "isCounted",
      array(select sum(n)::float8 from game_positions, unnest(counts) with ordinality as cells(n, cell)
        where game_id = ${gameId} and generation = ${generationOf(name)} and day >= ${from} and day < ${until}
        group by cell order by cell) as counts`.execute(db);
  const { isCounted, counts } = rows[0]!;
  return isCounted ? counts : undefined;
}

/** The counts of speed-roulette: of all rounds that were drawn in the period, with or without bets. */
export async function readDrawnRounds(db: DbOrTx, { from, until }: Period): Promise<number[]> {
  const { rows } = await sql<{ number: number; rounds: number }>`
    select number, count(*)::float8 as rounds from speed_rounds
    where number is not null and drawn_at >= ${from} and drawn_at < ${until} group by number`.execute(db);
  const counts = noCounts('speed-roulette');
  for (const { number, rounds } of rows) counts[number] = rounds;
  return counts;
}
