import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/db.ts';
import { plannedRows } from '../../../platform/long-list.ts';
import type { Units } from '../../../platform/money.ts';
import { EVERYBODY, type MarkedList } from '../../money/ledger/marked-list.ts';
import type { Range } from '../../money/ledger/marks.ts';
import type { BetStatus } from './schemas.ts';

/** Where bets are read from, each in the order of their ids. `status` is none but SETTLED. */
export type Source =
  | { of: 'all' }
  | { of: 'user'; userId: number }
  | { of: 'status'; status: BetStatus; userId: number | undefined }
  | { of: 'round'; roundId: bigint }
  | { of: 'bet'; betId: bigint };

export type BetFilter = {
  userId?: number | undefined;
  status?: BetStatus | undefined;
  /** Of games that there are. */
  gameIds?: readonly number[] | undefined;
  currencyId?: string | undefined;
  roundId?: bigint | undefined;
  minUsdAmount?: Units | undefined;
  maxUsdAmount?: Units | undefined;
  /** Ten-thousandths. */
  minMultiplier?: bigint | undefined;
};

const LAST_ID = 2n ** 63n - 1n;

/**
 * All bets, whatever has become of them. Rows of one user are named by pairs: with `user_id =` the planner might take the primary
 * key for the order and pass over everybody's bets.
 */
export const BETS: MarkedList = {
  marks: sql`bet_marks`,
  archived: 'bets',
  table: sql`bets`,
  counts: sql`true`,
  weight: sql`1`,
  within: (scope, from, below = LAST_ID) =>
    scope === EVERYBODY
      ? sql`id >= ${sql.lit(from)} and id < ${sql.lit(below)}`
      : sql`(user_id, id) >= (${sql.lit(scope)}, ${sql.lit(from)}) and (user_id, id) < (${sql.lit(scope)}, ${sql.lit(below)})`,
  order: (scope) => (scope === EVERYBODY ? sql`id` : sql`user_id, id`),
};

export type BetQuery = {
  source: Source;
  range: Range;
  filter: BetFilter;
  isDescending: boolean;
  /** Bets of the source that are looked at; undefined: all. */
  lines: number | undefined;
  /** Whether those are counted, which costs as much as reading them all. */
  countsLines: boolean;
  /** Matches that are counted. */
  most: number;
  offset: number;
  take: number;
  /** Of the matches that were counted, instead of the order in which they were made. */
  byAmount?: boolean;
};

/**
 * A page of the bets that match, among the first `lines` of the source in the order of the list: how many were looked at, how many
 * matched (`most` at most), and their ids.
 */
export async function readBets(
  db: DbOrTx,
  query: BetQuery,
): Promise<{ looked: number; found: number; ids: bigint[] }> {
  const { source, range, filter, isDescending, lines, countsLines, most, offset, take, byAmount } = query;
  const way = isDescending ? sql`desc` : sql`asc`;
  const limit = lines === undefined ? sql`` : sql`limit ${sql.lit(lines)}`;
  const order = source.of === 'user' ? sql`user_id ${way}, id ${way}` : sql`id ${way}`;
  const shown = byAmount ? sql`usd_amount ${way}, id ${way}` : sql`id ${way}`;
  const { rows } = await sql<{ looked: number; found: number; ids: string[] | null }>`
    with lines as ${sql.raw(countsLines ? 'materialized' : 'not materialized')} (
      select id, user_id, game_id, status, currency_id, round_id, usd_amount, amount, payout from bets
      where ${within(source, range)} order by ${order} ${limit}
    ),
    matching as materialized (
      select id, usd_amount from lines where ${conditionsOf(filter)} order by id ${way} limit ${sql.lit(most)}
    ),
    page as (select id, usd_amount from matching order by ${shown} limit ${take} offset ${offset})
    select ${countsLines ? sql`(select count(*)::int from lines)` : sql`0`} as looked,
      (select count(*)::int from matching) as found,
      (select array_agg(id::text order by ${shown}) from page) as ids`.execute(db);
  const { looked, found, ids } = rows[0]!;
  return { looked, found, ids: (ids ?? []).map(BigInt) };
}

/** How many bets the planner expects a source to have within a range, and of these to meet a filter. */
export const estimateBets = (
  db: DbOrTx,
  source: Source,
  range: Range,
  filter: BetFilter = {},
): Promise<number> =>
  plannedRows(db, sql`select 1 from bets where ${within(source, range)} and ${conditionsOf(filter)}`);

/** How many bets a source has within a range; so many are counted at most. */
export async function countBets(
  db: DbOrTx,
  { source, range, most }: { source: Source; range: Range; most: number },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select 1 from bets where ${within(source, range)} limit ${most}) counted`.execute(
    db,
  );
  return rows[0]!.n;
}

// Numbers and states stand in the text: they are what plans and partial indexes are chosen by.
function within(source: Source, { from, below, start, end }: Range): RawBuilder<unknown> {
  return sql.join(
    [
      BETS.within(source.of === 'user' ? source.userId : EVERYBODY, from, below),
      ...(start === undefined ? [] : [sql`created_at >= ${start}`]),
      // Times are shown in milliseconds, and kept finer.
      ...(end === undefined ? [] : [sql`created_at < ${new Date(end.getTime() + 1)}`]),
      ...ofSource(source),
    ],
    sql` and `,
  );
}

function ofSource(source: Source): RawBuilder<unknown>[] {
  switch (source.of) {
    case 'all':
    case 'user':
      return [];
    case 'status': {
      const whose = source.userId === undefined ? [] : [sql`user_id = ${sql.lit(source.userId)}`];
      return [...whose, sql`status = ${sql.lit(source.status)}`];
    }
    case 'round':
      return [sql`round_id = ${sql.lit(source.roundId)}`];
    case 'bet':
      return [sql`id = ${sql.lit(source.betId)}`];
  }
}

const CONDITIONS: {
  [F in keyof Required<BetFilter>]: (value: NonNullable<BetFilter[F]>) => RawBuilder<unknown>;
} = {
  userId: (id) => sql`user_id = ${sql.lit(id)}`,
  status: (status) => sql`status = ${sql.lit(status)}`,
  gameIds: (ids) => sql`game_id in (${sql.join(ids.map((id) => sql.lit(id)))})`,
  currencyId: (id) => sql`currency_id = ${id}`,
  roundId: (id) => sql`round_id = ${sql.lit(id)}`,
  minUsdAmount: (amount) => sql`usd_amount >= ${sql.lit(amount)}`,
  maxUsdAmount: (amount) => sql`usd_amount <= ${sql.lit(amount)}`,
  minMultiplier: (least) => sql`payout::numeric * 10000 >= amount::numeric * ${sql.lit(least)}`,
};

function conditionsOf(filter: BetFilter): RawBuilder<unknown> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const conditions = given.map(([field, value]) =>
    (CONDITIONS[field as keyof BetFilter] as (v: unknown) => RawBuilder<unknown>)(value),
  );
  return sql.join([sql`true`, ...conditions], sql` and `);
}

/** Ids of bets that are not settled, in their order; so many of them at most. */
export async function unsettledIds(db: DbOrTx, scope: number, most: number): Promise<bigint[]> {
  const whose = scope === EVERYBODY ? sql`true` : sql`user_id = ${sql.lit(scope)}`;
  const { rows } = await sql<{ id: bigint }>`
    select id from bets where ${whose} and status <> 'SETTLED' limit ${most}`.execute(db);
  return rows.map((row) => row.id).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Ids of a scope in their order, from one on, without some and after so many others. */
export async function idsFrom(
  db: DbOrTx,
  scope: number,
  { from, without, skip, take }: { from: bigint; without: readonly bigint[]; skip: number; take: number },
): Promise<bigint[]> {
  const kept = without.length === 0 ? sql`true` : sql`id <> all(${without}::int8[])`;
  const { rows } = await sql<{ id: bigint }>`
    select id from bets where ${BETS.within(scope, from)} and ${kept}
    order by ${BETS.order(scope)} limit ${take} offset ${skip}`.execute(db);
  return rows.map((row) => row.id);
}
