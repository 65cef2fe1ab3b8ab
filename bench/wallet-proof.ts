import { sql } from 'kysely';
import { textArray } from '../src/platform/database/arrays.ts';
import { type Db, transaction } from '../src/platform/database/db.ts';
import { type Acknowledged, GAMES_DIALECTS, slugOf } from './wallet-protocol.ts';

const AT_ONCE = 20_000;

/**
 * Returns calls that were acknowledged but not booked, and calls that were booked but never acknowledged. The list is empty if there are
 * none.
 */
export async function acknowledgedProblems(
  db: Db,
  { transactions, houseBets }: Acknowledged,
): Promise<string[]> {
  const problems: string[] = [];
  for (const dialect of GAMES_DIALECTS) {
    const { missing, unknown, repeated } = await compare(db, slugOf(dialect), transactions[dialect]);
    if (missing + unknown + repeated > 0)
      problems.push(
        `${dialect}: ${missing} missing, ${unknown} never acknowledged, ${repeated} acknowledged twice`,
      );
  }
  const { rows } = await sql<{ bets: number }>`
    select count(*)::int as bets from bets b join games g on g.id = b.game_id where g.provider_id = 0`.execute(
    db,
  );
  if (rows[0]!.bets !== houseBets)
    problems.push(`house: ${houseBets} acknowledged, ${rows[0]!.bets} in the books`);
  return problems;
}

function compare(db: Db, slug: string, ids: readonly string[]) {
  return transaction(db, async (tx) => {
    await sql`create temporary table acknowledged (id text) on commit drop`.execute(tx);
    for (let from = 0; from < ids.length; from += AT_ONCE)
      await sql`insert into acknowledged select * from unnest(${textArray(ids.slice(from, from + AT_ONCE))}::text[])`.execute(
        tx,
      );
    const { rows } = await sql<{ missing: number; unknown: number; repeated: number }>`
      select count(*) filter (where t.id is null)::int as missing, count(*) filter (where a.id is null)::int as unknown,
        (select count(*) - count(distinct id) from acknowledged)::int as repeated
      from (select transaction_id as id from provider_transactions t join game_providers p on p.id = t.provider_id
        where p.slug = ${slug} and t.status = 'DONE') t full join acknowledged a on a.id = t.id`.execute(tx);
    return rows[0]!;
  });
}
