import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/db.ts';
import { generationOf } from '../../../games/bets/effects.ts';
import { DAY_MS, nameOf, type Period, type Steps } from '../periods/rules.ts';

type Sql = RawBuilder<unknown>;

/** What days of players are packed of: the hours in which they played, deposited, signed up. */
export type Source = 'play' | 'deposit' | 'registration';

const GENERATION = generationOf('user-stats');
/** Rows that count are of this generation. */
const generationFor = (source: Source) => (source === 'play' ? GENERATION : sql`0`);

const dateAt = (at: number) => new Date(at);

/** Joins the hours of these periods alone, each of them through the index of its table. */
const within = (periods: readonly Period[], at: Sql) => sql`
  join unnest(${periods.map(({ from }) => dateAt(from))}::timestamptz[], ${periods.map(({ until }) => dateAt(until))}::timestamptz[])
    part(since, before) on ${at} >= since and ${at} < before`;

/** A row for each hour of a player: key, two amounts. A first deposit is not counted among those that were not the first. */
const HOURS: Readonly<Record<Source, (periods: readonly Period[]) => Sql>> = {
  play: (periods) => sql`
    select game_id::text as key, user_id, hour, own_staked_usd as one, own_paid_usd as two from play_hours ${within(periods, sql`hour`)}
    where game_id = any(array(select id from games)) and generation = ${GENERATION}`,
  deposit: (periods) => sql`
    select p.currency_id as key, p.user_id, hour, sum(p.usd_amount) as one, sum(count) - max((f.user_id is not null)::int4) as two
    from payment_hours p ${within(periods, sql`hour`)}
    left join first_deposits f on f.user_id = p.user_id and f.currency_id = p.currency_id and date_trunc('hour', f.at, 'UTC') = hour
    where direction = 'DEPOSIT' and count > 0 group by 1, 2, 3`,
  registration: (periods) => sql`
    select '' as key, id as user_id, date_trunc('hour', created_at, 'UTC') as hour, 0 as one, 0 as two
    from users ${within(periods, sql`created_at`)}`,
};

// ---------------------------------------------------------------- packing

/** Days on which there may be something, that are over for an hour and are not packed; the latest first. */
export async function readDaysToPack(db: DbOrTx, source: Source): Promise<number[]> {
  const first = {
    play: sql`select min(day) from game_days where generation = ${GENERATION}`,
    deposit: sql`select min(day) from payment_days`,
    registration: sql`select (min(hour) at time zone 'UTC')::date from registration_hours`,
  }[source];
  const { rows } = await sql<{ at: Date }>`
    select day::timestamp at time zone 'UTC' as at
    from generate_series((${first}), ((now() - interval '1 hour') at time zone 'UTC')::date - 1, interval '1 day') day
    where day::date not in (select day from packed_days where source = ${source} and generation = ${generationFor(source)})
    order by 1 desc`.execute(db);
  return rows.map(({ at }) => at.getTime());
}

/** Tables whose changes unpack a day. */
const CHANGING: Readonly<Record<Source, Sql | undefined>> = {
  play: sql`play_hours`,
  deposit: sql`payment_hours, first_deposits`,
  registration: undefined,
};
const LOCK_MS = 1000;

/** Packs a day. Whoever changes it meanwhile waits, and unpacks it afterwards. Fails (55P03) when one of them does not end for a second. */
export async function packDay(tx: Tx, source: Source, day: number): Promise<void> {
  const tables = CHANGING[source];
  if (tables) {
    await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(tx);
    await sql`lock table ${tables} in share mode`.execute(tx);
  }
  const date = sql`${nameOf(day)}::date`;
  await sql`delete from packed_days where source = ${source} and day = ${date}`.execute(tx);
  await sql`insert into packed_days (source, day, generation) select ${source}, ${date}, ${generationFor(source)}`.execute(
    tx,
  );
  await sql`
    insert into packed_players (source, day, key, players, amounts)
    select ${source}, ${date}, key, string_agg(int4send(user_id) || int4send(hours), '' order by user_id),
      string_agg(int8send(one) || int8send(two), '' order by user_id)
    from (
      select key, user_id, bit_or(1 << extract(hour from hour at time zone 'UTC')::int4) as hours, sum(one)::int8 as one, sum(two)::int8 as two
      from (${HOURS[source]([{ from: day, until: day + DAY_MS }])}) hours group by key, user_id) players
    group by key`.execute(tx);
}

// ---------------------------------------------------------------- reading

export async function readPackedDays(db: DbOrTx, source: Source, { from, until }: Period): Promise<number[]> {
  const { rows } = await sql<{ at: Date }>`
    select day::timestamp at time zone 'UTC' as at from packed_days
    where source = ${source} and generation = ${generationFor(source)} and day >= ${nameOf(from)}::date and day < ${nameOf(until)}::date`.execute(
    db,
  );
  return rows.map(({ at }) => at.getTime());
}

/** What is asked for: of these keys (undefined: of all), with the keys and amounts or without. */
export type Wanted = {
  source: Source;
  keys?: readonly string[] | undefined;
  byKey?: boolean;
  withAmounts?: boolean;
};

export type PackedRow = { at: Date; key: string; players: Buffer; amounts: Buffer | null };

/** In the order of days. Without keys the players of a day are in one row, some of them more than once. */
export async function readPacked(db: DbOrTx, wanted: Wanted, days: readonly number[]): Promise<PackedRow[]> {
  const { source, keys, byKey = false, withAmounts = false } = wanted;
  const together = (column: Sql) => (byKey ? column : sql`string_agg(${column}, '' order by key)`);
  const { rows } = await sql<PackedRow>`
    select day::timestamp at time zone 'UTC' as at, ${byKey ? sql`key` : sql`''`} as key, ${together(sql`players`)} as players,
      ${withAmounts ? together(sql`amounts`) : sql`null::bytea`} as amounts
    from packed_players
    where source = ${source} and day = any(${days.map(nameOf)}::date[]) and ${keys === undefined ? sql`true` : sql`key = any(${keys}::text[])`}
    ${byKey ? sql`` : sql`group by day`} order by day`.execute(db);
  return rows;
}

export type HourRow = { step: number; key: string; userId: number; one: string; two: string };

/** The same of hours that are not packed, by step. */
export async function readHours(
  db: DbOrTx,
  { source, keys }: Wanted,
  { steps, periods }: { steps: Steps; periods: readonly Period[] },
): Promise<HourRow[]> {
  if (periods.length === 0) return [];
  const { rows } = await sql<HourRow>`
    select width_bucket(hour, ${steps.starts.map(dateAt)}::timestamptz[]) - 1 as step, key, user_id as "userId", sum(one)::text as one,
      sum(two)::text as two
    from (${HOURS[source](periods)}) hours where ${keys === undefined ? sql`true` : sql`key = any(${keys}::text[])`}
    group by 1, 2, 3`.execute(db);
  return rows;
}

/** Staff and test users. */
export async function readUncounted(db: DbOrTx): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom('uncounted_users').select('user_id').execute();
  return new Set(rows.map((row) => row.user_id as number));
}
