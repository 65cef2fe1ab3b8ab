import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { int4Array } from '../../../platform/pg-arrays.ts';
import { emitEvent } from '../../base/events/service.ts';
import { effectsIn, type Slice } from '../../games/bets/effects.ts';
import { announceChanged } from './announce.ts';
import { type FreezeDeps, freeze } from './freeze.ts';
import { lockRun } from './queries.ts';
import { makeDueRuns } from './runs.ts';

type Sql = RawBuilder<unknown>;
type Applied = Slice & { generation: number };
type Bounds = { first: Date | null; last: Date | null };

/**
 * Applies the effects of a slice to the scores of all runs that they fall into. What a bet comes to after the slice replaces what it came to before,
 * so nothing depends on where slices end. Locks schedules, runs and scores in this order, and no player.
 */
export async function apply(tx: Tx, deps: FreezeDeps, slice: Applied): Promise<void> {
  if (!(await isAnythingOn(tx))) return;
  const { first, last } = await boundsOf(tx, slice);
  if (!first || !last) return;
  if (!slice.isReversal) await makeDueRuns(tx, deps.siteConfig, { upTo: last, generation: slice.generation });
  const open = await lockOpen(tx, { first, last }, slice.generation);
  // What is frozen is not taken back to apply it again: only what is new to it counts.
  const frozen = slice.isReversal ? [] : await lockFrozen(tx, slice, first);
  const changed = await count(tx, slice, [...open, ...frozen]);
  for (const id of frozen.filter((id) => changed.has(id))) await freeze(tx, deps, (await lockRun(tx, id))!);
  if (frozen.length > 0) await keepUp(tx, frozen, slice.upTo);
  await announceChanged(
    tx,
    open.filter((id) => changed.has(id)),
  );
}

async function isAnythingOn(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ on: boolean }>`
    select exists (select from leaderboards where not is_purged) or exists (select from leaderboard_schedules where enabled) as on`.execute(
    tx,
  );
  return rows[0]!.on;
}

/** When the first and the last of the bets were settled. */
async function boundsOf(tx: Tx, slice: Slice): Promise<Bounds> {
  const { rows } = await sql<Bounds>`
    select min(at) as first, max(at) as last from ${effectsIn(slice)} effects`.execute(tx);
  return rows[0]!;
}

/** Open runs that bets of this time fall into; one of an earlier generation begins anew. */
async function lockOpen(tx: Tx, { first, last }: Bounds, generation: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; isOld: boolean; isTouched: boolean }>`
    select id, generation <> ${generation} as "isOld", start_date <= ${last} and end_date > ${first} as "isTouched" from leaderboards
    where status in ('SCHEDULED', 'ACTIVE', 'FINALIZING') order by id for no key update`.execute(tx);
  const old = rows.filter(({ isOld }) => isOld).map(({ id }) => id);
  if (old.length > 0) await beginAnew(tx, old, generation);
  return rows.filter(({ isTouched }) => isTouched).map(({ id }) => id);
}

async function beginAnew(tx: Tx, ids: readonly number[], generation: number): Promise<void> {
  const all = int4Array(ids);
  await sql`delete from leaderboard_bets where leaderboard_id = any(${all}::int4[])`.execute(tx);
  await sql`delete from leaderboard_scores where leaderboard_id = any(${all}::int4[])`.execute(tx);
  await sql`
    update leaderboards set generation = ${generation}, participants = 0 where id = any(${all}::int4[])`.execute(
    tx,
  );
}

/**
 * Runs with frozen places that effects of the slice would change, as long as no prize was paid. Of others the places stand: staff is told when a
 * bet that they rest on was rolled back.
 */
async function lockFrozen(tx: Tx, slice: Slice, first: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number; status: string; isBroken: boolean }>`
    select r.id, bool_or(e.sign < 0 and b.bet_id is not null) as "isBroken" from leaderboards r
    join ${effectsIn(slice, undefined, sql`, id as bet_id`)} e on e.at >= r.start_date and e.at < r.end_date and e.position > r.frozen_upto
    left join leaderboard_bets b on (b.leaderboard_id, b.user_id, b.place, b.bet_id) = (r.id, e.user_id, e.bet_position, e.bet_id)
    where r.status in ('AWAITING_PAYOUT', 'FINISHED') and r.end_date > ${first} group by r.id order by r.id`.execute(
    tx,
  );
  const unpaid: number[] = [];
  for (const { id, isBroken } of rows) {
    const run = (await lockRun(tx, id))!;
    if (run.status === 'AWAITING_PAYOUT' && !(await isAnyPaid(tx, id))) unpaid.push(id);
    else {
      await keepUp(tx, [id], slice.upTo);
      if (isBroken)
        await emitEvent(tx, { event: 'admin.alert', data: { kind: 'LEADERBOARD_CHANGED', id: String(id) } });
    }
  }
  return unpaid;
}

async function isAnyPaid(tx: Tx, id: number): Promise<boolean> {
  const paid = await tx
    .selectFrom('leaderboard_prizes')
    .select('user_id')
    .where('leaderboard_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return paid !== undefined;
}

/** What is consumed again after a rebuild or a replay is not new to them. */
const keepUp = (tx: Tx, ids: readonly number[], upTo: bigint) =>
  sql`update leaderboards set frozen_upto = greatest(frozen_upto, ${upTo}) where id = any(${int4Array(ids)}::int4[])`.execute(
    tx,
  );

/** Writes what bets come to in these runs; answers the runs whose scores have changed. */
async function count(tx: Tx, slice: Slice, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const runs = sql`runs as (select * from leaderboards where id = any(${int4Array(ids)}::int4[]))`;
  const taken = await takeBack(tx, slice, runs);
  const added = await add(tx, slice, runs);
  const lost = taken.length > 0 ? await findPlaces(tx, taken) : new Map<number, number>();
  const touched = new Set([...added.keys(), ...taken.map(({ run }) => run)]);
  for (const id of touched) {
    const participants = (added.get(id) ?? 0) - (lost.get(id) ?? 0);
    if (participants !== 0)
      await sql`update leaderboards set participants = participants + ${participants} where id = ${id}`.execute(
        tx,
      );
  }
  return touched;
}

/**
 * The last effect of each bet in the slice, or of a reversal the first one, which is undone last. `sign` above zero: the bet counts afterwards.
 * `is_reversed`: it may have counted before.
 */
const lastOf = (slice: Slice) => sql`
  last as materialized (
    select distinct on (bet_id) *, bool_or(sign < 0) over (partition by bet_id) as is_reversed
    from ${effectsIn(slice, undefined, sql`, id as bet_id`)} e
    order by bet_id, position ${slice.isReversal ? sql`asc` : sql`desc`}, sign desc)`;

/** Effects that the places of a frozen run rest on are in them. */
const IS_NEW = sql`l.position > coalesce(r.frozen_upto, -1)`;

type Touched = { run: number; user: number };

async function takeBack(tx: Tx, slice: Slice, runs: Sql): Promise<Touched[]> {
  const { rows } = await sql<Touched>`
    with ${runs}, ${lastOf(slice)},
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

/** Own money that was staked on bets that count; by run, how many players are new to it. */
async function add(tx: Tx, slice: Slice, runs: Sql): Promise<Map<number, number>> {
  const { rows } = await sql<{ run: number; fresh: number }>`
    with ${runs}, ${lastOf(slice)},
    own as (
      select l.*, case when c.cash = l.amount then l.usd_amount else div(l.usd_amount::numeric * c.cash, l.amount)::int8 end as usd
      from last l
      join users u on u.id = l.user_id and not u.is_staff and not u.is_test
      left join lateral (select bonus_staked from bonus_bets b where b.bet_id = l.bet_id offset 0) b on true
      cross join lateral (select l.amount - least(coalesce(b.bonus_staked, 0), l.amount) as cash) c
      where l.sign > 0),
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
      returning leaderboard_id as run, xmax = 0 as is_fresh)
    select run, (count(*) filter (where is_fresh))::int as fresh from scored group by run`.execute(tx);
  return new Map(rows.map(({ run, fresh }) => [run, fresh]));
}

/** Of players of whom something was taken back: the last bet that still counts, or no score at all. By run, how many have none. */
async function findPlaces(tx: Tx, touched: readonly Touched[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ run: number; lost: number }>`
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
    select run, count(*)::int as lost from gone group by run`.execute(tx);
  return new Map(rows.map(({ run, lost }) => [run, lost]));
}
