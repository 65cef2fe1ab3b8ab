import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../../platform/db.ts';
import { type Cursor, generationOf, nextSettled, type Range, settledBehind } from '../bets/follow.ts';
import type { Totals } from './rules.ts';

export const CURSOR = 'user-stats';
const GENERATION = generationOf(CURSOR);

/** A bet counts once it is settled; one that paid more than its stake is a win. The same sums before the cursor and behind it. */
const SUMS = sql`count(*) as bets,
  count(*) filter (where payout > amount) as wins,
  sum(usd_amount) as wagered_usd,
  sum(usd_payout) as payout_usd,
  max(case when payout > amount then usd_payout else 0 end) as biggest_win_usd,
  max(least(div(payout::numeric * 10000, amount), 9223372036854775807))::int8 as best_multiplier_e4`;

/** Of these users: what was taken in up to the cursor, and their own bets behind it, in one snapshot. */
const totalsOf = (userIds: readonly number[]) => sql`
  select u.id as "userId",
    coalesce(s.bets, 0) + t.bets as bets,
    coalesce(s.wins, 0) + t.wins as wins,
    coalesce(s.wagered_usd, 0) + coalesce(t.wagered_usd, 0) as wagered,
    coalesce(s.payout_usd, 0) + coalesce(t.payout_usd, 0) as payouts,
    greatest(s.biggest_win_usd, t.biggest_win_usd, 0) as "biggestWin",
    greatest(s.best_multiplier_e4, t.best_multiplier_e4, 0) as "bestMultiplier",
    coalesce(d.usd_amount, 0) as deposits,
    coalesce(w.usd_amount, 0) as withdraws
  from unnest(${userIds}::int4[]) u(id)
  cross join lateral (
    select ${SUMS} from ${settledBehind(CURSOR, sql`user_id = u.id`)} behind) t
  left join user_stats s on s.user_id = u.id and s.generation = ${GENERATION}
  left join payment_stats d on d.kind = 'DEPOSIT' and d.period = 'ALL' and d.period_start = '-infinity' and d.user_id = u.id
  left join payment_stats w on w.kind = 'WITHDRAW' and w.period = 'ALL' and w.period_start = '-infinity' and w.user_id = u.id`;

/** The game with most bets; of several the one with the lowest id. */
const FAVORITE = sql`
  select game_id from (
    select game_id, bets from user_game_stats where user_id = t."userId" and generation = ${GENERATION}
    union all
    select game_id, count(*) from ${settledBehind(CURSOR, sql`user_id = t."userId"`)} behind group by game_id
  ) x group by game_id order by sum(bets) desc, game_id limit 1`;

type TotalsRow = { userId: number } & Record<keyof Totals, bigint | string>;
export type Favorite = {
  id: number;
  slug: string;
  name: string;
  type: string;
  images: string[];
  providerName: string | null;
};

/** What each of these users comes to; with zeros who has none. */
export async function readTotals(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, Totals>> {
  const { rows } = await sql<TotalsRow>`${totalsOf(userIds)}`.execute(db);
  return new Map(rows.map((row) => [row.userId, toTotals(row)]));
}

export async function readPlayer(
  db: DbOrTx,
  userId: number,
): Promise<{ totals: Totals; favorite: Favorite | null }> {
  const { rows } = await sql<TotalsRow & { favorite: Favorite | null }>`
    select t.*, (
      select json_build_object('id', g.id, 'slug', g.slug, 'name', g.name, 'type', g.type, 'images', g.images,
        'providerName', g.provider_name)
      from games g where g.id = (${FAVORITE})) as favorite
    from (${totalsOf([userId])}) t`.execute(db);
  const { favorite, ...totals } = rows[0]!;
  return { totals: toTotals(totals), favorite };
}

const toTotals = ({ userId: _, ...sums }: TotalsRow): Totals =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, BigInt(sum)])) as Totals;

/** A row of an earlier generation is as good as none: what is added to it stands alone. */
const old = (column: string) =>
  sql`case when s.generation = excluded.generation then ${sql.ref(`s.${column}`)} else 0 end`;
const added = (column: string) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)} + ${old(column)}`;
const highest = (column: string) =>
  sql`${sql.ref(column)} = greatest(${sql.ref(`excluded.${column}`)}, ${old(column)})`;

/** Adds the next settled bets to what their players have. Answers how many, and the last one's place. */
export async function addBets(
  tx: Tx,
  cursor: Cursor,
  range: Range,
): Promise<{ taken: number; last: bigint }> {
  const { position, generation } = cursor;
  const { rows } = await sql<{ taken: number; last: bigint }>`
    with batch as materialized (select * from ${nextSettled(cursor, range)} next),
    players as (
      insert into user_stats as s (user_id, generation, bets, wins, wagered_usd, payout_usd, biggest_win_usd, best_multiplier_e4)
      select user_id, ${generation}::int4, ${SUMS} from batch group by user_id
      on conflict (user_id) do update set generation = excluded.generation, ${added('bets')}, ${added('wins')},
        ${added('wagered_usd')}, ${added('payout_usd')}, ${highest('biggest_win_usd')}, ${highest('best_multiplier_e4')}),
    games as (
      insert into user_game_stats as s (user_id, game_id, generation, bets)
      select user_id, game_id, ${generation}::int4, count(*) from batch group by user_id, game_id
      on conflict (user_id, game_id) do update set generation = excluded.generation, ${added('bets')})
    select count(*)::int4 as taken, coalesce(max(place), ${position}) as last from batch`.execute(tx);
  return rows[0]!;
}
