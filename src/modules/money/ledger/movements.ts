import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../../../platform/db.ts';
import { plannedRows } from '../../../platform/long-list.ts';
import type { Rate, Units } from '../../../platform/money.ts';
import { accountOf, codeOf, type UserAccount } from './accounts.ts';
import type { Range } from './marks.ts';
import { FREQUENT_KINDS, inRange, type Lines, linesOf, list, plannedFor, type Source } from './sources.ts';

/** What happened to one account of a user, with what it held afterwards, and the head of its entry (a bet has none). */
export type Movement = {
  lineId: bigint;
  isIn: boolean;
  entryId: bigint;
  kind: string;
  userId: number;
  currencyId: string;
  account: UserAccount;
  amount: Units;
  balanceAfter: Units;
  at: Date;
  key: string | null;
  actorId: number | null;
  memo: string | null;
};

/** Kinds of lines whose entry is a bet, which has no key. */
const BET_KINDS = [...FREQUENT_KINDS, 'bet.stake.rollback'];

export type Bounds = { min: Units; max: Units };
export type MovementFilter = {
  lineId?: bigint | undefined;
  userId?: number | undefined;
  isIn?: boolean | undefined;
  kinds?: readonly string[] | undefined;
  account?: UserAccount | undefined;
  currencyId?: string | undefined;
  /** Amounts that match, by currency: nothing of others does. */
  bounds?: ReadonlyMap<string, Bounds> | undefined;
  /** Who moved what is not his own. */
  actorId?: number | undefined;
  /** Of the entry's key; `bet` stands for bets, which have none. */
  namespace?: string | undefined;
};
/** What amounts are sorted by: themselves, or what they are worth. */
export type AmountOrder = { rates: ReadonlyMap<string, Rate> | undefined };

export type MovementQuery = Lines & {
  filter: MovementFilter;
  /** Whether those that were looked at are counted, which costs as much as reading them all. */
  countsLines: boolean;
  /** Movements that are counted. */
  most: number;
  offset: number;
  take: number;
  /** Of those that were counted, instead of the order in which they happened. */
  byAmount?: AmountOrder | undefined;
};

/**
 * A page of the movements that match, among the first `lines` lines of the source in the order of the list: how many lines were
 * looked at, how many movements matched (`most` at most), and the rows.
 */
export async function readMovements(
  db: DbOrTx,
  query: MovementQuery,
): Promise<{ looked: number; found: number; rows: Movement[] }> {
  const { filter, isDescending, countsLines, most, offset, take, byAmount } = query;
  const way = isDescending ? sql`desc` : sql`asc`;
  const order = sql`id ${way}, is_in ${way}`;
  const shown = byAmount ? sql`${worthOf(byAmount)} ${way}, ${order}` : order;
  const needsHead = filter.actorId !== undefined || filter.namespace !== undefined;
  const head = needsHead ? sql`left join ledger_entries e on e.id = l.entry_id` : sql``;
  const { rows } = await sql<Row>`
    with lines as ${sql.raw(countsLines ? 'materialized' : 'not materialized')} (${linesOf(query)}),
    matching as materialized (
      select l.id, l.entry_id, l.amount, l.created_at, l.user_id, l.currency_id, l.kind, side.is_in, side.account, side.after
      from lines l ${head}
      cross join lateral (values (false, l.debit, l.debit_after), (true, l.credit, l.credit_after)) side(is_in, account, after)
      where side.account < 100 and ${conditionsOf(filter)}
      order by ${order} limit ${sql.lit(most)}
    ),
    page as (select * from matching order by ${shown} limit ${take} offset ${offset})
    select counts.looked, counts.found, page.id as "lineId", is_in as "isIn", entry_id as "entryId", page.kind, user_id as "userId",
      currency_id as "currencyId", account, amount, after as "balanceAfter", page.created_at as at, e.key, e.actor_id as "actorId", e.memo
    from (select ${countsLines ? sql`(select count(*)::int from lines)` : sql`0`} as looked,
      (select count(*)::int from matching) as found) counts
    left join page on true
    left join (select id as head, key, actor_id, memo from ledger_entries) e on e.head = page.entry_id
    order by ${shown}`.execute(db);
  const { looked, found } = rows[0]!;
  return { looked, found, rows: rows.flatMap((row) => (row.lineId === null ? [] : [toMovement(row)])) };
}

type Row = Omit<Movement, 'account' | 'lineId'> & { account: number; looked: number; found: number } & {
  lineId: bigint | null;
};

const toMovement = ({ looked: _, found: __, ...row }: Row): Movement => ({
  ...row,
  lineId: row.lineId!,
  account: accountOf(row.account) as UserAccount,
});

const CONDITIONS: {
  [F in keyof Required<MovementFilter>]: (value: NonNullable<MovementFilter[F]>) => RawBuilder<unknown>;
} = {
  lineId: (id) => sql`l.id = ${sql.lit(id)}`,
  userId: (id) => sql`l.user_id = ${sql.lit(id)}`,
  isIn: (isIn) => sql`side.is_in = ${sql.lit(isIn)}`,
  kinds: (kinds) => (kinds.length > 0 ? sql`l.kind in (${list(kinds)})` : sql`false`),
  account: (account) => sql`side.account = ${sql.lit(codeOf(account))}`,
  currencyId: (id) => sql`l.currency_id = ${id}`,
  bounds: (bounds) =>
    sql`(${sql.join(
      [...bounds].map(([id, b]) => sql`(l.currency_id = ${id} and l.amount between ${b.min} and ${b.max})`),
      sql` or `,
    )})`,
  actorId: (id) => sql`(e.actor_id = ${sql.lit(id)} and l.user_id <> ${sql.lit(id)})`,
  namespace: (name) =>
    name === 'bet'
      ? sql`(l.kind in (${list(BET_KINDS)}) or split_part(e.key, ':', 1) = 'bet')`
      : sql`split_part(e.key, ':', 1) = ${name}`,
};

function conditionsOf(filter: MovementFilter): RawBuilder<unknown> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const conditions = given.map(([field, value]) =>
    (CONDITIONS[field as keyof MovementFilter] as (v: unknown) => RawBuilder<unknown>)(value),
  );
  return sql.join([sql`true`, ...conditions], sql` and `);
}

function worthOf({ rates }: AmountOrder): RawBuilder<unknown> {
  if (!rates) return sql`amount`;
  const cases = [...rates].map(([id, rate]) => sql`when ${id} then ${rate}::int8`);
  return sql`amount::numeric * (case currency_id ${sql.join(cases, sql` `)} else 0 end)`;
}

/**
 * How many lines (of a namespace or an actor: entries) the planner expects a source to have within a range, and of these to meet what
 * of a filter is about lines.
 */
export async function estimateLines(
  db: DbOrTx,
  source: Source,
  range: Range,
  filter: MovementFilter = {},
): Promise<number> {
  const { table, which } = plannedFor(source, filter.account);
  const ofLines = source.of === 'namespace' || source.of === 'actor' ? {} : filter;
  const { userId, kinds, currencyId, bounds, account, isIn } = ofLines;
  const condition = sql.join(
    [
      sql`${which}`,
      sql`${inRange(range)}`,
      conditionsOf({ userId, kinds, currencyId, bounds }),
      ...(account === undefined
        ? []
        : [sql`(debit = ${sql.lit(codeOf(account))} or credit = ${sql.lit(codeOf(account))})`]),
      ...(isIn === undefined ? [] : [isIn ? sql`credit < 100` : sql`debit < 100`]),
    ],
    sql` and `,
  );
  return plannedRows(db, sql`select 1 from ${table} l where ${condition}`);
}
