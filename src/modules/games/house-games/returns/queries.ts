import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import type { GameReturns } from '../../../../platform/database/tables.ts';
import type { Consumer } from '../../bets/consume.ts';
import { effectsAfterCursor, effectsIn, generationOf, type Slice, sliceAfter } from '../../bets/effects.ts';
import { countPositions, type Day, noCounts, type SeenBets, TESTED_GAMES } from './alerts/rules.ts';
import {
  addSums,
  noSums,
  type Period,
  type SettledBets,
  type Share,
  type Sums,
  stakedTogether,
  sumsOf,
} from './sums/rules.ts';

/** Increment this number when the theoretical values of a game or the counted positions change. The consumer then counts all bets again. */
const VERSION = 1;
const NAME = 'game-returns';
const BATCH = 5000;
const END_OF_IDS = 2n ** 62n;
/** Games whose outcomes are read, for theoretical values or positions. Bets of other games are grouped regardless of the outcome. */
const READ_BY_OUTCOME = ['mines', 'monkey-run', ...TESTED_GAMES];

/** Bets that are equal except for their payouts. `sign` is -1 for reversals. */
type Row = SettledBets & SeenBets;
type Hour = { gameId: number; hour: Date; sums: Sums };

/** Adds settled bets to the sums of the hour in which they were settled, and counts their positions by day. */
export const CONSUMER: Consumer = { name: NAME, version: VERSION, everyMs: 2000, apply };

async function apply(tx: Tx, slice: Slice & { generation: number }): Promise<void> {
  const rows = await readEffects(tx, slice);
  const byHour = Map.groupBy(rows, ({ gameId, hour }) => `${gameId} ${hour.getTime()}`);
  const hours = [...byHour.values()].map((bets): Hour => {
    const { gameId, hour } = bets[0]!;
    return { gameId, hour, sums: addAll(noSums(), bets) };
  });
  if (rows.length > 0) await write(tx, slice.generation, hours);
  await writePositions(tx, slice.generation, countPositions(rows));
  if (rows.some(({ sign }) => sign < 0)) await removeEmpty(tx, hours);
}

const addAll = (sums: Sums, rows: readonly Row[]): Sums =>
  rows.reduce((all, row) => addSums(all, sumsOf(row), row.sign), sums);

/** Deletes the rows of hours whose bets were all reversed, because these rows contain only rounding errors. */
async function removeEmpty(tx: Tx, hours: readonly Hour[]): Promise<void> {
  const [games, starts] = [hours.map(({ gameId }) => gameId), hours.map(({ hour }) => hour)];
  await sql`
    delete from game_returns r using unnest(${games}::int4[], ${starts}::timestamptz[]) k(game_id, hour)
    where r.game_id = k.game_id and r.hour = k.hour and bets = 0 and apart_bets = 0`.execute(tx);
}

/** Returns the sums of all bets of a game that were settled in whole hours, up to the last bet. `tx` must read from one snapshot. */
export async function readSums(tx: Tx, { gameId, from, until }: Period & { gameId: number }): Promise<Sums> {
  const cursor = await tx
    .selectFrom('cursors')
    .select(['position', 'generation', 'version'])
    .where('name', '=', NAME)
    .executeTakeFirstOrThrow();
  const isBuilt = cursor.version === VERSION;
  let sums = isBuilt ? await readHours(tx, { gameId, from, until }, cursor.generation) : noSums();
  let position = isBuilt ? cursor.position : 0n;
  const which = sql`game_id = ${gameId} and coalesce(settled_at, created_at) >= ${from}
    and coalesce(settled_at, created_at) < ${until}`;
  for (;;) {
    const next = await sliceAfter(tx, position, { below: END_OF_IDS, batch: BATCH, which });
    if (!next) return sums;
    sums = addAll(sums, await readEffects(tx, next.slice, which));
    position = next.slice.upTo;
  }
}

/** `paid` is a string, because the sum of two very large payouts may exceed 64 bits. */
type Grouped = Omit<Row, 'paid'> & { paid: string; userId: number | null; roundId: bigint | null };

async function readEffects(db: DbOrTx, slice: Slice, which = sql`true`): Promise<Row[]> {
  const more = sql`, rtp_bp, max_profit_usd, inputs, outcome, seed_pair_id, round_id`;
  const { rows } = await sql<Grouped>`
    select sign, game_id as "gameId", hour, slug as game, rtp_bp as "rtpBp", usd_amount as stake, count(*)::int as bets,
      sum(usd_payout)::text as paid, max_profit_usd as "maxProfit", alike.inputs::json, alike.outcome::json, is_seeded as "isSeeded",
      player as "userId", round_id as "roundId"
    from ${effectsIn(slice, which, more)} effects join games on games.id = game_id cross join lateral (
      select date_trunc('hour', at, 'UTC') as hour, effects.inputs::text as inputs,
        case when slug = any(${READ_BY_OUTCOME}) then effects.outcome::text end as outcome,
        seed_pair_id is not null as is_seeded, case when round_id is not null then user_id end as player) alike
    group by sign, game_id, hour, slug, rtp_bp, usd_amount, max_profit_usd, alike.inputs, alike.outcome, is_seeded, player,
      round_id`.execute(db);
  const rounds = await readRounds(db, [...new Set(rows.flatMap(({ roundId }) => roundId ?? []))]);
  return rows.map(({ userId, roundId, paid, ...rest }) => {
    const row = { ...rest, paid: BigInt(paid) };
    const round = roundId === null ? undefined : rounds.get(roundId);
    return round ? { ...row, ofRound: round.shares.get(userId!)?.staked, ofAll: round.ofAll } : row;
  });
}

type Round = { shares: Map<number, Share>; ofAll: Record<string, number> };

/**
 * Reads all stakes in these rounds, including those of open bets. A large round is settled in several transactions, and the sums must not
 * depend on how many of them have been committed.
 */
async function readRounds(db: DbOrTx, ids: readonly bigint[]): Promise<Map<bigint, Round>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ roundId: bigint; userId: number; maxProfit: bigint | null; staked: object }>`
    select round_id as "roundId", user_id as "userId", min(max) as "maxProfit", json_object_agg(color, staked) as staked
    from (
      select round_id, user_id, inputs ->> 'color' as color, sum(usd_amount)::text as staked, min(max_profit_usd) as max
      from bets where round_id = any(${ids.map(String)}::int8[]) and inputs ->> 'color' is not null group by 1, 2, 3
    ) by_color group by 1, 2`.execute(db);
  const rounds = [...Map.groupBy(rows, ({ roundId }) => roundId)].map(([id, players]) => {
    const shares = new Map(
      players.map(({ userId, maxProfit, staked }) => [userId, { maxProfit, staked: inUnits(staked) }]),
    );
    return [id, { shares, ofAll: stakedTogether(shares.values()) }] as const;
  });
  return new Map(rounds);
}

const inUnits = (staked: object): Share['staked'] =>
  Object.fromEntries(Object.entries(staked).map(([color, usd]) => [color, BigInt(usd)]));

async function readHours(
  tx: Tx,
  { gameId, from, until }: Period & { gameId: number },
  generation: number,
): Promise<Sums> {
  const sums = await readHoursOf(tx, { gameIds: [gameId], from, until }, sql`${generation}`);
  return sums.get(gameId) ?? noSums();
}

/** Returns the sums of the bets counted so far, by game. Games without bets are omitted. */
export const readCounted = (
  db: DbOrTx,
  which: Period & { gameIds: readonly number[] },
): Promise<Map<number, Sums>> =>
  readHoursOf(db, which, sql`(select generation from cursors where name = ${NAME} and version = ${VERSION})`);

async function readHoursOf(
  db: DbOrTx,
  { gameIds, from, until }: Period & { gameIds: readonly number[] },
  generation: RawBuilder<unknown>,
): Promise<Map<number, Sums>> {
  const sums = Object.entries(COLUMNS).map(
    ([name, column]) => sql`sum(${sql.ref(column)})::text as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Record<keyof Sums, string> & { gameId: number }>`
    select game_id as "gameId", ${sql.join(sums)} from game_returns
    where game_id = any(${gameIds}::int4[]) and hour >= ${from} and hour < ${until} and generation = ${generation}
    group by game_id`.execute(db);
  return new Map(rows.map(({ gameId, ...row }) => [gameId, sumsIn(row)]));
}

const sumsIn = (row: Record<keyof Sums, string>): Sums =>
  Object.fromEntries(
    Object.entries(row).map(([name, sum]) => [name, DOUBLES.includes(name) ? Number(sum) : BigInt(sum)]),
  ) as Sums;

/** Sums that are stored as doubles. All other sums are exact. */
const DOUBLES = ['counted', 'expected', 'variance'];

const COLUMNS = {
  bets: 'bets',
  staked: 'staked_usd',
  paid: 'paid_usd',
  counted: 'counted',
  expected: 'expected',
  variance: 'variance',
  apartBets: 'apart_bets',
  apartStaked: 'apart_staked_usd',
  apartPaid: 'apart_paid_usd',
} as const satisfies Record<keyof Sums, string>;

/** Rows of an earlier generation are replaced. */
const added = (column: string) => sql`${sql.ref(`excluded.${column}`)}
  + case when game_returns.generation = excluded.generation then ${sql.ref(`game_returns.${column}`)} else 0 end`;

async function write(tx: Tx, generation: number, hours: readonly Hour[]): Promise<void> {
  const columns = Object.entries(COLUMNS) as [keyof Sums, string][];
  const rows = hours.map(({ gameId, hour, sums }) => {
    const values = Object.fromEntries(columns.map(([name, column]) => [column, String(sums[name])]));
    return { game_id: gameId, hour, generation, ...values } as object as Insertable<GameReturns>;
  });
  const sums = Object.fromEntries(columns.map(([, column]) => [column, added(column)]));
  await tx
    .insertInto('game_returns')
    .values(rows)
    .onConflict((oc) =>
      oc
        .columns(['game_id', 'hour'])
        .doUpdateSet({ generation: sql`excluded.generation`, ...sums } as object),
    )
    .execute();
}

/** Adds to the daily counts of positions. Rows of an earlier generation are replaced. */
async function writePositions(tx: Tx, generation: number, days: readonly Day[]): Promise<void> {
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
 * Reads a game's counts of positions in whole days. Returns undefined if the consumer has not applied all bets of these days, or has a
 * different version. Uses a single statement, so that all rows are read from one snapshot.
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

/** Counts the positions of speed-roulette in all rounds of the period, with or without bets. */
export async function readDrawnRounds(db: DbOrTx, { from, until }: Period): Promise<number[]> {
  const { rows } = await sql<{ number: number; rounds: number }>`
    select number, count(*)::float8 as rounds from speed_rounds
    where number is not null and drawn_at >= ${from} and drawn_at < ${until} group by number`.execute(db);
  const counts = noCounts('speed-roulette');
  for (const { number, rounds } of rows) counts[number] = rounds;
  return counts;
}
