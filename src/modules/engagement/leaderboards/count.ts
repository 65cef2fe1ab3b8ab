import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { int4Array } from '../../../platform/pg-arrays.ts';
import { effectsIn, type Slice } from '../../games/bets/effects.ts';

type Sql = RawBuilder<unknown>;
type Touched = { run: number; user: number };

/** Writes what bets of the slice come to in these runs, which must be locked; answers those whose scores have changed. */
export async function count(tx: Tx, slice: Slice, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const reversed = await subtractReversed(tx, slice, ids);
  const joined = await addSettled(tx, slice, ids);
  const left = reversed.length > 0 ? await findLastBets(tx, reversed) : new Map<number, number>();
  const changed = new Set([...joined.keys(), ...reversed.map(({ run }) => run)]);
  for (const id of changed) {
    const participants = (joined.get(id) ?? 0) - (left.get(id) ?? 0);
    if (participants !== 0)
      await sql`update leaderboards set participants = participants + ${participants} where id = ${id}`.execute(
        tx,
      );
  }
  return changed;
}

/** Of these runs those in which a counted bet does not count any more after the slice, or counts as another amount. */
export async function runsThatChange(tx: Tx, slice: Slice, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    with ${runsOf(ids)}, ${lastOf(slice)}, ${ownOf(sql`last`)}
    select distinct r.id from own l join runs r on ${IS_NEW}
    join leaderboard_bets b on b.leaderboard_id = r.id and b.user_id = l.user_id and b.place = l.bet_position and b.bet_id = l.bet_id
    where l.is_reversed and (l.sign < 0 or l.usd <> b.usd or l.at < r.start_date or l.at >= r.end_date) order by r.id`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

const runsOf = (ids: readonly number[]) =>
  sql`runs as (select * from leaderboards where id = any(${int4Array(ids)}::int4[]))`;

/**
 * The last effect of each bet in the slice, or of a reversal the first one, which is undone last. `sign` above zero: the bet counts afterwards.
 * `is_reversed`: it may have counted before.
 */
const lastOf = (slice: Slice) => sql`
  last as materialized (
    select distinct on (bet_id) *, bool_or(sign < 0) over (partition by bet_id) as is_reversed
    from ${effectsIn(slice, undefined, sql`, id as bet_id`)} e
    order by bet_id, position ${slice.isReversal ? sql`asc` : sql`desc`}, sign desc)`;

/** Bets `l` with what was staked of own money in US dollars. */
const ownOf = (bets: Sql) => sql`
  own as (
    select l.*, case when c.cash = l.amount then l.usd_amount else div(l.usd_amount::numeric * c.cash, l.amount)::int8 end as usd
    from ${bets} l
    left join lateral (select bonus_staked from bonus_bets b where b.bet_id = l.bet_id offset 0) b on true
    cross join lateral (select l.amount - least(coalesce(b.bonus_staked, 0), l.amount) as cash) c)`;

/** Effects that the places of a frozen run rest on are in them. */
const IS_NEW = sql`l.position > coalesce(r.frozen_upto, -1)`;

async function subtractReversed(tx: Tx, slice: Slice, ids: readonly number[]): Promise<Touched[]> {
  const { rows } = await sql<Touched>`
    with ${runsOf(ids)}, ${lastOf(slice)},
    gone as (
      delete from leaderboard_bets b using runs r, last l
      where l.is_reversed and ${IS_NEW} and b.leaderboard_id = r.id and b.user_id = l.user_id and b.place = l.bet_position
        and b.bet_id = l.bet_id
      returning b.leaderboard_id, b.user_id, b.usd),
    sums as (select leaderboard_id, user_id, sum(usd) as usd from gone group by 1, 2)
    update leaderboard_scores s set score = s.score - sums.usd, updated_at = now() from sums
    where s.leaderboard_id = sums.leaderboard_id and s.user_id = sums.user_id
    returning s.leaderboard_id as run, s.user_id as user`.execute(tx);
  return rows;
}

const ELIGIBLE = sql`(cardinality(r.categories) + cardinality(r.provider_ids) + cardinality(r.game_slugs) = 0
  or g.categories && r.categories or g.provider_id = any(r.provider_ids) or g.slug = any(r.game_slugs))`;

const OF_PLAYERS = sql`(
  select last.* from last join users u on u.id = last.user_id and not u.is_staff and not u.is_test where last.sign > 0)`;

/** By run, how many players are new to it. */
async function addSettled(tx: Tx, slice: Slice, ids: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ run: number; joined: number }>`
    with ${runsOf(ids)}, ${lastOf(slice)}, ${ownOf(OF_PLAYERS)},
    counted as materialized (
      select r.id as run, l.user_id, l.bet_position as place, l.bet_id, l.usd
      from own l join games g on g.id = l.game_id
      join runs r on l.at >= r.start_date and l.at < r.end_date and l.usd >= r.min_bet_usd and ${ELIGIBLE} and ${IS_NEW}
      where l.usd > 0),
    written as (
      insert into leaderboard_bets (leaderboard_id, user_id, place, bet_id, usd)
      select run, user_id, place, bet_id, usd from counted order by 1, 2, 3, 4),
    scored as (
      insert into leaderboard_scores as s (leaderboard_id, user_id, score, reached_place)
      select run, user_id, sum(usd), max(place) from counted group by 1, 2 order by 1, 2
      on conflict (leaderboard_id, user_id) do update set score = s.score + excluded.score,
        reached_place = greatest(s.reached_place, excluded.reached_place), updated_at = now()
      returning leaderboard_id as run, xmax = 0 as is_new)
    select run, (count(*) filter (where is_new))::int as joined from scored group by run`.execute(tx);
  return new Map(rows.map(({ run, joined }) => [run, joined]));
}

/** Finds the last bet that still counts of players of whom something was reversed; who has none has no score. By run, how many have none. */
async function findLastBets(tx: Tx, touched: readonly Touched[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ run: number; left: number }>`
    with touched as (
      select run, user_id, (select max(place) from leaderboard_bets b where b.leaderboard_id = run and b.user_id = t.user_id) as place
      from unnest(${int4Array(touched.map(({ run }) => run))}::int4[], ${int4Array(touched.map(({ user }) => user))}::int4[])
        t(run, user_id)),
    kept as (
      update leaderboard_scores s set reached_place = t.place from touched t
      where s.leaderboard_id = t.run and s.user_id = t.user_id and s.reached_place <> t.place),
    gone as (
      delete from leaderboard_scores s using touched t
      where t.place is null and s.leaderboard_id = t.run and s.user_id = t.user_id returning t.run)
    select run, count(*)::int as left from gone group by run`.execute(tx);
  return new Map(rows.map(({ run, left }) => [run, left]));
}
