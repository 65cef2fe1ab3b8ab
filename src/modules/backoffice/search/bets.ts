import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { adminRows } from '../../games/bets/view.ts';
import type { Hit, SearchDeps, Wanted } from './hits.ts';
import type { Term } from './rules.ts';

export async function findBets({ reads }: SearchDeps, { term, most, sight }: Wanted): Promise<Hit[]> {
  const ids = await idsOf(reads, term, most);
  if (ids.length === 0) return [];
  const bets = await adminRows(reads, ids, sight);
  return bets.map(({ id, game, amount, currencyId, user, status }) => ({
    id,
    title: `${game.name}, ${amount} ${currencyId}`,
    subtitle: user.username,
    state: status,
  }));
}

/**
 * Returns the ids of bets, newest first. A transaction's id is unique for each provider, so its index is read once for each provider.
 * `offset 0` keeps the planner from reading all transactions with a round instead.
 */
async function idsOf(db: DbOrTx, { betId, reference }: Term, most: number): Promise<bigint[]> {
  if (betId === undefined && reference === undefined) return [];
  const { rows } = await sql<{ id: bigint }>`
    select id from bets where id = any(array(
      select ${betId ?? null}::int8
      union select bet_id from provider_rounds where round_ref = ${reference ?? null}
      union select r.bet_id from game_providers p
        cross join lateral (
          select round_id from provider_transactions where provider_id = p.id and transaction_id = ${reference ?? null} offset 0
        ) t
        join provider_rounds r on r.id = t.round_id))
    order by id desc limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}
