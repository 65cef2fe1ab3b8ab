import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import {
  type Conditions,
  conditionsOf,
  every,
  inTime,
  type Range,
} from '../../../platform/list/conditions.ts';
import { EVERYBODY } from '../../../platform/list/marked-list.ts';
import type { Wanted as AnyWanted, ListTable, Size } from '../../../platform/list/table.ts';
import type { Units } from '../../../platform/money.ts';
import { ledgerList } from '../../money/ledger/marked-list.ts';
import type { BetStatus } from './schemas.ts';

/** A set of bets that can be read from an index in id order. `status` is never SETTLED. */
export type Source =
  | { of: 'all' }
  | { of: 'user'; userId: number }
  | { of: 'status'; status: BetStatus; userId: number | undefined }
  | { of: 'round'; round: Round }
  | { of: 'bet'; betId: bigint };

/** A shared round (`id`), the provider's id of a round (`ref`), or the sportsbook's id of a bet (`betRef`). */
export type Round = { id?: bigint | undefined; ref?: string | undefined; betRef?: string | undefined };

export type BetFilter = {
  userId?: number | undefined;
  status?: BetStatus | undefined;
  /** The ids of existing games. */
  gameIds?: readonly number[] | undefined;
  currencyId?: string | undefined;
  round?: Round | undefined;
  minUsdAmount?: Units | undefined;
  maxUsdAmount?: Units | undefined;
  /** In ten-thousandths. */
  minMultiplier?: bigint | undefined;
};

export type Wanted = AnyWanted<Source, BetFilter>;

const LAST_ID = 2n ** 63n - 1n;

/**
 * Bets of every status. The condition on a user compares row values: with `user_id =` the planner might scan the primary key and filter out
 * the bets of all other players.
 */
export const BETS = ledgerList('bets', {
  marks: sql`bet_marks`,
  counts: sql`true`,
  weight: sql`1`,
  within: (scope, from, below) =>
    scope === EVERYBODY
      ? sql`id >= ${sql.lit(from)} and id < ${sql.lit(below ?? LAST_ID)}`
      : sql`(user_id, id) >= (${sql.lit(scope)}, ${sql.lit(from)}) and (user_id, id) < ${endOf(scope, below)}`,
  order: (scope) => (scope === EVERYBODY ? sql`id` : sql`user_id, id`),
});

/**
 * Without an upper bound, the range ends where the next user's bets start. If the upper bound contained the same user id, the planner would
 * expect one row and sort all bets.
 */
const endOf = (userId: number, below: bigint | undefined) =>
  below === undefined ? sql`(${sql.lit(userId + 1)}, 0)` : sql`(${sql.lit(userId)}, ${sql.lit(below)})`;

export const scopeOf = (source: Source): number => (source.of === 'user' ? source.userId : EVERYBODY);

/** This query reads only ids. The other columns are read later, for the rows of the page. */
export const betTable: ListTable<Source, BetFilter, bigint, { id: bigint }> = {
  rowsOf({ source, range, isDescending, rows }) {
    const way = isDescending ? sql`desc` : sql`asc`;
    const limit = rows === undefined ? sql`` : sql`limit ${sql.lit(rows)}`;
    const order = source.of === 'user' ? sql`user_id ${way}, id ${way}` : sql`id ${way}`;
    return sql`select id, user_id, game_id, status, currency_id, round_id, usd_amount, amount, payout from bets
      where ${within(source, range)} order by ${order} ${limit}`;
  },
  matches: (filter) => sql`select id, usd_amount from lines where ${every(conditionsOf(CONDITIONS, filter))}`,
  columns: sql`page.id`,
  toRow: ({ id }) => id,
  planned: ({ source, range, filter }) =>
    sql`select 1 from bets where ${within(source, range)} and ${every(conditionsOf(CONDITIONS, filter))}`,
  sizeOf(source): Size {
    if (source.of === 'bet' || source.of === 'round') return { of: 'few' };
    return source.of === 'status' ? { of: 'uncounted' } : { of: 'marked', scope: scopeOf(source) };
  },
};

// Numbers and statuses are literals, so that the planner can choose partial indexes.
const within = (source: Source, range: Range): RawBuilder<unknown> =>
  every([BETS.within(scopeOf(source), range.from, range.below), ...inTime(range), ...ofSource(source)]);

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
      return [inRound(source.round)];
    case 'bet':
      return [sql`id = ${sql.lit(source.betId)}`];
  }
}

/** SQL: true for the bets of a round. A provider's rounds are looked up first, so that their bets are found by id. */
function inRound({ id, ref, betRef }: Round): RawBuilder<unknown> {
  const named = (name: string, isSportsbook: boolean) =>
    sql`id = any(array(select r.bet_id from provider_rounds r join games g on g.id = r.game_id
      where r.round_ref = ${name} and r.bet_id is not null and (g.type = 'SPORTSBOOK') = ${sql.lit(isSportsbook)}))`;
  if (betRef !== undefined) return named(betRef, true);
  const shared = id === undefined ? [] : [sql`round_id = ${sql.lit(id)}`];
  const either = ref === undefined ? shared : [...shared, named(ref, false)];
  return sql`(${sql.join(either, sql` or `)})`;
}

const CONDITIONS: Conditions<BetFilter> = {
  userId: (id) => sql`user_id = ${sql.lit(id)}`,
  status: (status) => sql`status = ${sql.lit(status)}`,
  // Literals would help the planner, but a category may contain thousands of games.
  gameIds: (ids) =>
    ids.length > 100
      ? sql`game_id = any(${ids}::int4[])`
      : sql`game_id in (${sql.join(ids.map((id) => sql.lit(id)))})`,
  currencyId: (id) => sql`currency_id = ${id}`,
  round: (round) => inRound(round),
  minUsdAmount: (amount) => sql`usd_amount >= ${sql.lit(amount)}`,
  maxUsdAmount: (amount) => sql`usd_amount <= ${sql.lit(amount)}`,
  minMultiplier: (least) =>
    sql`(amount > 0 or ${sql.lit(least)} = 0) and payout::numeric * 10000 >= amount::numeric * ${sql.lit(least)}`,
};

/** Returns at most `most` ids of unsettled bets, in ascending order. */
export async function unsettledIds(db: DbOrTx, scope: number, most: number): Promise<bigint[]> {
  const whose = scope === EVERYBODY ? sql`true` : sql`user_id = ${sql.lit(scope)}`;
  const { rows } = await sql<{ id: bigint }>`
    select id from bets where ${whose} and status <> 'SETTLED' limit ${most}`.execute(db);
  return rows.map((row) => row.id).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Returns `take` ids of a scope, starting at the id `from`, after skipping `skip` rows. Ids in `others` are excluded. */
export async function idsFrom(
  db: DbOrTx,
  scope: number,
  { from, others, skip, take }: { from: bigint; others: readonly bigint[]; skip: number; take: number },
): Promise<bigint[]> {
  const kept = others.length === 0 ? sql`true` : sql`id <> all(${others}::int8[])`;
  const { rows } = await sql<{ id: bigint }>`
    select id from bets where ${BETS.within(scope, from)} and ${kept}
    order by ${BETS.order(scope)} limit ${take} offset ${skip}`.execute(db);
  return rows.map((row) => row.id);
}
