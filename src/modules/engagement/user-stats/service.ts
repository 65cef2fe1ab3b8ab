import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { sharedFor } from '../../../platform/limits/shared-read.ts';
import { type Consumer, createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import { cursorAfter, generationOf, type Slice } from '../../games/bets/effects.ts';
import { correctedAt, countsAt, ownEffectsIn } from '../../games/bets/versions.ts';
import { BEST_MULTIPLIER, BIGGEST_WIN, CURSOR } from './totals.ts';

export type UserStatsOptions = { db: Db; databaseClock: Clock; onConsumed: OnConsumed };

export type UserStatsDeps = { db: Db; databaseClock: Clock; userStats: UserStats };

export type UserStats = ReturnType<typeof createUserStats>;

/** Creates the consumer of players' statistics and the statistics of games. */
export const createUserStats = ({ db, databaseClock: clock, onConsumed }: UserStatsOptions) => ({
  ...createConsumer(db, CONSUMER, onConsumed),
  games: createGameStats({ db, clock }),
});

/**
 * Maintains sums of each player's bets (in total, per game, and per hour and game), and sums over all players per hour and game. One pass
 * over the bets updates all of them.
 */
export const CONSUMER: Consumer = { name: CURSOR, apply };

const HOUR = sql`date_trunc('hour', at, 'UTC')`;

type Sql = RawBuilder<unknown>;
type Cells = { games: number[]; hours: Date[]; users: number[] };

async function apply(tx: Tx, slice: Slice & { generation: number }): Promise<void> {
  const { rows } = await sql<{ games: number[] | null; hours: Date[] | null; users: number[] | null }>`
    ${cellsOf(slice)},
    hours as (
      insert into play_hours as s (game_id, hour, user_id, generation, bets, wins, staked_usd, paid_usd, own_staked_usd, own_paid_usd,
        undecided_usd, biggest_win_usd, best_multiplier_e4, last_at, first_place, last_place)
      select game_id, hour, user_id, ${slice.generation}::int4, bets, wins, staked, paid, own_staked, own_paid, undecided, biggest_win_usd,
        best_multiplier_e4, last_at, first_place, last_place from cells
      on conflict (game_id, hour, user_id) do update set generation = excluded.generation, ${added('bets')}, ${added('wins')},
        ${added('staked_usd')}, ${added('paid_usd')}, ${added('own_staked_usd')}, ${added('own_paid_usd')},
        ${added('undecided_usd')}, ${most('biggest_win_usd')}, ${most('best_multiplier_e4')}, ${most('last_at')}, ${most('last_place')}, ${least('first_place')}),
    real as (
      insert into game_hours as s (hour, game_id, generation, bets, own_staked_usd, own_paid_usd)
      select hour, game_id, ${slice.generation}::int4, sum(bets), sum(own_staked), sum(own_paid) from cells
      where user_id not in (select user_id from uncounted_users) group by hour, game_id
      on conflict (hour, game_id) do update set generation = excluded.generation, ${added('bets')}, ${added('own_staked_usd')},
        ${added('own_paid_usd')}),
    games as (
      insert into user_game_stats as s (user_id, game_id, generation, bets)
      select user_id, game_id, ${slice.generation}::int4, sum(bets) from cells group by user_id, game_id
      on conflict (user_id, game_id) do update set generation = excluded.generation, ${added('bets')}),
    players as (
      insert into user_stats as s (user_id, generation, bets, wins, wagered_usd, payout_usd, undecided_usd, biggest_win_usd,
        best_multiplier_e4)
      select user_id, ${slice.generation}::int4, sum(bets), sum(wins), sum(staked), sum(paid), sum(undecided), max(biggest_win_usd),
        max(best_multiplier_e4) from cells group by user_id
      on conflict (user_id) do update set generation = excluded.generation, ${added('bets')}, ${added('wins')},
        ${added('wagered_usd')}, ${added('payout_usd')}, ${added('undecided_usd')}, ${most('biggest_win_usd')}, ${most('best_multiplier_e4')})
    select array_agg(game_id) as games, array_agg(hour) as hours, array_agg(user_id) as users from cells where has_reversal`.execute(
    tx,
  );
  const { games, hours, users } = rows[0]!;
  if (!games || !hours || !users) return;
  const cells = { games, hours, users };
  await deleteEmpty(tx, cells);
  await updateMaxima(tx, cells, slice);
}

const cellsOf = (slice: Slice) => sql`
  with cells as materialized (
    select game_id, ${HOUR} as hour, user_id, sum(sign) as bets, coalesce(sum(sign) filter (where payout > amount), 0) as wins,
      sum(sign * usd_amount) as staked, sum(sign * usd_payout) as paid, sum(sign * own_usd_amount) as own_staked,
      sum(sign * own_usd_payout) as own_paid, sum(sign * (usd_amount - counted_usd)) as undecided, ${BIGGEST_WIN} as biggest_win_usd,
      ${BEST_MULTIPLIER} as best_multiplier_e4, max(at) as last_at, min(bet_position) as first_place, max(bet_position) as last_place,
      bool_or(sign < 0) as has_reversal
    from ${ownEffectsIn(slice)} effects group by 1, 2, 3)`;

/** SQL: merges a column into an existing row. Rows of an earlier generation are no longer valid and are replaced. */
function merged(column: string, merge: (present: Sql, further: Sql) => Sql) {
  const [present, further] = [sql.ref(`s.${column}`), sql.ref(`excluded.${column}`)];
  return sql`${sql.ref(column)} = case when s.generation = excluded.generation then ${merge(present, further)} else ${further} end`;
}
const added = (column: string) => merged(column, (a, b) => sql`${a} + ${b}`);
const most = (column: string) => merged(column, (a, b) => sql`greatest(${a}, ${b})`);
const least = (column: string) => merged(column, (a, b) => sql`least(${a}, ${b})`);

const keysOf = ({ games, hours, users }: Cells) =>
  sql`unnest(${games}::int4[], ${hours}::timestamptz[], ${users}::int4[]) k(game_id, hour, user_id)`;

/** Deletes hours that have no bets left after reversals. */
async function deleteEmpty(tx: Tx, cells: Cells): Promise<void> {
  await sql`
    delete from play_hours p using ${keysOf(cells)}
    where p.game_id = k.game_id and p.hour = k.hour and p.user_id = k.user_id and p.bets = 0`.execute(tx);
  await sql`
    delete from game_hours g using ${keysOf(cells)} where g.hour = k.hour and g.game_id = k.game_id and g.bets = 0`.execute(
    tx,
  );
}

/**
 * Recomputes the maxima of hours in which a bet was rolled back or corrected, from the player's remaining bets in that hour and the sums
 * stored for detached months. The player's overall maxima are recomputed from the maxima of the hours. At most one player's bets of one
 * hour are therefore read at a time.
 */
async function updateMaxima(tx: Tx, cells: Cells, slice: Slice & { generation: number }) {
  const players = sql`${[...new Set(cells.users)]}::int4[]`;
  await sql`
    update play_hours p set biggest_win_usd = greatest(m.biggest_win_usd, gone.biggest_win_usd),
      best_multiplier_e4 = greatest(m.best_multiplier_e4, gone.best_multiplier_e4), last_at = coalesce(greatest(m.last_at, gone.last_at), p.last_at)
    from ${keysOf(cells)} join play_hours h using (game_id, hour, user_id) cross join lateral (
      select ${BIGGEST_WIN} as biggest_win_usd, ${BEST_MULTIPLIER} as best_multiplier_e4, max(at) as last_at
      from (${betsOfHour(slice)}) own where game_id = h.game_id and ${HOUR} = h.hour) m
    cross join lateral (
      select max(biggest_win_usd) as biggest_win_usd, max(best_multiplier_e4) as best_multiplier_e4, max(last_at) as last_at
      from hour_openings o join parts_away using (part)
      where o.user_id = h.user_id and o.game_id = h.game_id and o.hour = h.hour) gone
    where p.game_id = h.game_id and p.hour = h.hour and p.user_id = h.user_id`.execute(tx);
  await sql`delete from user_game_stats where user_id = any(${players}) and bets = 0`.execute(tx);
  await sql`delete from user_stats where user_id = any(${players}) and bets = 0`.execute(tx);
  await sql`
    update user_stats s set biggest_win_usd = m.biggest_win_usd, best_multiplier_e4 = m.best_multiplier_e4
    from unnest(${players}) u(id) cross join lateral (
      select max(biggest_win_usd) as biggest_win_usd, max(best_multiplier_e4) as best_multiplier_e4
      from play_hours where user_id = u.id and generation = ${slice.generation}) m
    where s.user_id = u.id`.execute(tx);
}

/** Selects the player's bets in hour `h` that are valid after the slice has been applied. */
const betsOfHour = (slice: Slice) => {
  const columns = sql`1 as sign, game_id, amount, payout, usd_payout, coalesce(settled_at, created_at) as at`;
  const position = String(cursorAfter(slice));
  const counted = sql.raw(countsAt(position));
  return sql`
    select ${columns} from bets
    where user_id = h.user_id and id between h.first_place and h.last_place and settlement_id is null and ${counted}
    union all
    select ${columns} from bets
    where user_id = h.user_id and settlement_id between h.first_place and h.last_place and ${counted}
    union all
    select 1, game_id, amount, payout, usd_payout, at from ${sql.raw(correctedAt(position))} corrected
    where user_id = h.user_id and bet_position between h.first_place and h.last_place`;
};

const WINDOW_MS = 30 * 86_400_000;
/** The time for which callers share one result. */
const FRESH_MS = 60_000;

/** A join that excludes test users and staff. */
const REAL = sql`join users u on u.id = h.user_id and not u.is_test and not u.is_staff`;
const BUILT = sql`h.generation = ${generationOf(CURSOR)}`;

/**
 * Statistics of games, computed from hourly sums instead of bets. They are about a second old, like the results of every consumer of bets.
 */
export function createGameStats({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /**
     * Returns the number of players of each game in the last 30 days, by game id. The numbers are at most a minute old. Players are counted
     * instead of bets, so that a single player cannot make a game popular. Games without players are omitted.
     */
    popularity: sharedFor(
      FRESH_MS,
      (now) => readPlayers(db, new Date(now - WINDOW_MS)),
      () => clock.now(),
    ),

    /** Returns when a bet on each of these games was last settled. Games without bets are omitted. */
    async lastPlayed(gameIds: readonly number[]): Promise<ReadonlyMap<number, Date>> {
      if (gameIds.length === 0) return new Map();
      const { rows } = await sql<{ id: number; at: Date }>`
        select g.id, last.at from unnest(${gameIds}::int4[]) g(id) cross join lateral (
          select max(h.last_at) as at from play_hours h ${REAL}
          where h.game_id = g.id and ${BUILT} and h.hour = (
            select h.hour from play_hours h ${REAL} where h.game_id = g.id and ${BUILT} order by h.hour desc limit 1)
        ) last where last.at is not null`.execute(db);
      return new Map(rows.map(({ id, at }) => [id, at]));
    },

    /** Returns when the player's last bet on each game was settled. */
    async playedBy(userId: number): Promise<ReadonlyMap<number, Date>> {
      const { rows } = await sql<{ id: number; at: Date }>`
        select game_id as id, max(last_at) as at from play_hours h where user_id = ${userId} and ${BUILT}
        group by 1`.execute(db);
      return new Map(rows.map(({ id, at }) => [id, at]));
    },
  };
}

async function readPlayers(db: Db, since: Date): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ id: number; players: number }>`
    select h.game_id as id, count(distinct h.user_id)::int as players from play_hours h ${REAL}
    where ${BUILT} and h.hour >= ${since} group by 1`.execute(db);
  return new Map(rows.map(({ id, players }) => [id, players]));
}
