import { type RawBuilder, sql } from 'kysely';
import { int4Array } from '../../../platform/database/arrays.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { baseEvents } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { effectsIn, type Slice } from '../../games/bets/effects.ts';
import { freeze } from './advance.ts';
import { type EngineDeps, lockRun } from './queries.ts';
import { announce, makeDueRuns } from './runs.ts';

type Applied = Slice & { generation: number };
type Bounds = { first: Date | null; last: Date | null };

/**
 * Applies the effects of a slice to the scores of all runs in which they count. A bet's amount after the slice replaces its amount before
 * the slice, so the result does not depend on where slices end. Locks schedules, runs and scores, in this order. Locks no players.
 */
export async function apply(tx: Tx, deps: EngineDeps, slice: Applied): Promise<void> {
  if (!(await hasLeaderboards(tx))) return;
  const { first, last } = await boundsOf(tx, slice);
  if (!first || !last) return;
  if (!slice.isReversal) await makeDueRuns(tx, deps.siteConfig, { upTo: last, generation: slice.generation });
  const open = await lockOpen(tx, { first, last }, slice.generation);
  const { unpaid, paid } = await lockFrozen(tx, slice, first);
  const changed = await count(tx, slice, [...open, ...unpaid]);
  for (const id of unpaid.filter((id) => changed.has(id))) await freeze(tx, deps, (await lockRun(tx, id))!);
  for (const id of await runsThatChange(tx, slice, paid))
    await emitEvent(tx, {
      event: baseEvents['admin.alert'],
      data: { kind: 'LEADERBOARD_CHANGED', id: String(id) },
    });
  await raiseFrozen(tx, [...unpaid, ...paid], slice.upTo);
  await announce(
    tx,
    open.filter((id) => changed.has(id)),
  );
}

async function hasLeaderboards(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ on: boolean }>`
    select exists (select from leaderboards where not is_purged) or exists (select from leaderboard_schedules where enabled) as on`.execute(
    tx,
  );
  return rows[0]!.on;
}

/** Returns when the first and the last bet of the slice were settled. */
async function boundsOf(tx: Tx, slice: Slice): Promise<Bounds> {
  const { rows } = await sql<Bounds>`
    select min(at) as first, max(at) as last from ${effectsIn(slice)} effects`.execute(tx);
  return rows[0]!;
}

/** Locks open runs and returns those within the time range. Resets all runs that belong to an earlier generation. */
async function lockOpen(tx: Tx, { first, last }: Bounds, generation: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; isOld: boolean; isTouched: boolean }>`
    select id, generation <> ${generation} as "isOld", start_date <= ${last} and end_date > ${first} as "isTouched" from leaderboards
    where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING') order by id for no key update`.execute(tx);
  const old = rows.filter(({ isOld }) => isOld).map(({ id }) => id);
  if (old.length > 0) await reset(tx, old, generation);
  return rows.filter(({ isTouched }) => isTouched).map(({ id }) => id);
}

async function reset(tx: Tx, ids: readonly number[], generation: number): Promise<void> {
  const all = int4Array(ids);
  await sql`delete from leaderboard_bets where leaderboard_id = any(${all}::int4[])`.execute(tx);
  await sql`delete from leaderboard_scores where leaderboard_id = any(${all}::int4[])`.execute(tx);
  await sql`
    update leaderboards set generation = ${generation}, participants = 0 where id = any(${all}::int4[])`.execute(
    tx,
  );
}

/**
 * Locks frozen runs for which bets arrived after their ranks were computed. Until the first prize is paid, the ranks are recomputed. After
 * that they are final, and staff are alerted to changes.
 */
async function lockFrozen(
  tx: Tx,
  slice: Slice,
  first: Date,
): Promise<Record<'unpaid' | 'paid', readonly number[]>> {
  // A replay does not change frozen runs.
  if (slice.isReversal) return { unpaid: [], paid: [] };
  const { rows } = await sql<{ id: number }>`
    select distinct r.id from leaderboards r
    join ${effectsIn(slice)} e on e.at >= r.start_date and e.at < r.end_date and e.position > r.frozen_upto
    where r.status in ('AWAITING_PAYOUT', 'FINISHED') and r.end_date > ${first} and not r.is_purged order by r.id`.execute(
    tx,
  );
  const ids = rows.map(({ id }) => id);
  for (const id of ids) await lockRun(tx, id);
  const isPaid = await runsWithPrizes(tx, ids);
  return { unpaid: ids.filter((id) => !isPaid.has(id)), paid: ids.filter((id) => isPaid.has(id)) };
}

async function runsWithPrizes(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select distinct leaderboard_id as id from leaderboard_prizes where leaderboard_id = any(${int4Array(ids)}::int4[])`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Records that the ranks include these effects, so that a rebuild or replay does not treat them as new. */
const raiseFrozen = (tx: Tx, ids: readonly number[], upTo: bigint) =>
  sql`update leaderboards set frozen_upto = greatest(frozen_upto, ${upTo}) where id = any(${int4Array(ids)}::int4[])`.execute(
    tx,
  );

type Sql = RawBuilder<unknown>;
type Touched = { run: number; user: number };

/** Applies the bets of the slice to these runs, which must be locked. Returns the runs whose scores changed. */
async function count(tx: Tx, slice: Slice, ids: readonly number[]): Promise<Set<number>> {
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

/** Returns the runs in which a bet that counted before the slice no longer counts after it, or counts with a different amount. */
async function runsThatChange(tx: Tx, slice: Slice, ids: readonly number[]): Promise<number[]> {
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
 * Selects the last effect of each bet in the slice. In a replay it selects the first effect, which is undone last. If `sign` is above zero,
 * the bet counts afterwards. `is_reversed`: the bet may have counted before.
 */
const lastOf = (slice: Slice) => sql`
  last as materialized (
    select distinct on (bet_id) *, bool_or(sign < 0) over (partition by bet_id) as is_reversed
    from ${effectsIn(slice, undefined, sql`, id as bet_id`)} e
    order by bet_id, position ${slice.isReversal ? sql`asc` : sql`desc`}, sign desc)`;

/** Adds to bets `l` the USD value of the part of the stake that was settled as won or lost (games/bets/rules.ts), excluding bonus money. */
const ownOf = (bets: Sql) => sql`
  own as (
    select l.*, case when c.cash = l.amount then l.counted_usd else div(l.counted_usd::numeric * c.cash, l.amount)::int8 end as usd
    from ${bets} l
    left join lateral (select bonus_staked from bonus_bets b where b.bet_id = l.bet_id offset 0) b on true
    cross join lateral (select l.amount - least(coalesce(b.bonus_staked, 0), l.amount) as cash) c)`;

/** True if the effect is not yet included in the ranks of a frozen run. */
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

/** Returns the number of new participants by run. */
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

/** Updates each player's last counted bet after reversals, and deletes scores without bets. Returns the number of deleted scores by run. */
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
