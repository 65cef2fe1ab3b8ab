import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/db.ts';
import { nextRows } from '../database/snapshot.ts';
import { listErrors } from '../errors.ts';
import { every } from './conditions.ts';
import { type Found, type PageRequest, plannedRows, REACH } from './page.ts';

type Sql = RawBuilder<unknown>;

/** Up to this many matches are read completely and sorted, and their total is exact. */
const FEW = 1_000;
/** Used instead of FEW if the first rows in order do not contain enough matches for a page. */
const STILL_FEW = 5_000;
/** Number of rows from the start of the order that are scanned to fill a page of a filtered list. */
const FIRST = 20_000;

/** A table and a list order. An index must begin with the columns of `bounds`, followed by `key` and `id`. */
export type OrderedList = {
  table: string;
  /** The integer column that identifies a row. */
  id: string;
  /** The first column of the order, or an expression. */
  key: string | Sql;
  /** Set if rows without a value sort before all others. */
  nulls?: 'first' | undefined;
  /** Conditions that the index guarantees. Rows that do not meet them are not read. */
  bounds: readonly Sql[];
  /** Conditions that follow from the others. They only reduce the part of the index that is read. */
  implied?: readonly Sql[];
  /** Further conditions of a row. Columns are qualified with their table. */
  conditions: readonly Sql[];
  /** Number of rows that meet all conditions, if it was counted. */
  known?: number | undefined;
};

/**
 * Returns the ids of a page of a list that has several possible orders. If there are few matches, all of them are read through any suitable
 * index and then sorted. If there are more, only the first rows in order are scanned. Totals above FEW are estimates unless `known`. Throws
 * 400 PAGE_TOO_DEEP or FILTER_TOO_WIDE.
 */
export async function orderedPage(db: Db, list: OrderedList, request: PageRequest): Promise<Found<number>> {
  const { take } = request;
  const offset = (request.page - 1) * take;
  const { known } = list;
  if (known !== undefined && offset >= known) return { rows: [], total: known, isExact: true };
  const estimate = known ?? (await plannedRows(db, matchesOf(list)));
  const slice = { offset: Math.min(offset, REACH), take, isDescending: request.sortOrder === 'desc' };
  const isPerhapsFew = known === undefined ? estimate <= 2 * FEW : known <= FEW;
  const few = isPerhapsFew ? await pageOfFew(db, list, slice, FEW) : undefined;
  if (few && few.total <= FEW) return few;
  if (offset >= REACH) throw listErrors.PAGE_TOO_DEEP({ reach: REACH });
  const first = await pageOfFirst(db, list, slice, FIRST);
  const total = known ?? Math.max(estimate, FEW + 1, offset + first.length);
  if (first.length === take) return { rows: first, total, isExact: known !== undefined };
  return lastPage(db, list, { ids: first, slice });
}

/** Selects one row for each match. */
export const matchesOf = ({ table, bounds, conditions }: OrderedList) =>
  sql`select 1 from ${sql.table(table)} where ${every([...bounds, ...conditions])}`;

const keyOf = ({ key }: OrderedList): Sql => (typeof key === 'string' ? sql.ref(key) : key);

export function orderOf(
  list: OrderedList,
  isDescending: boolean,
  key = keyOf(list),
  id: Sql = sql.ref(list.id),
): Sql {
  const way = isDescending ? sql`desc` : sql`asc`;
  const nulls = isDescending ? sql`desc nulls last` : sql`asc nulls first`;
  return sql`${key} ${list.nulls ? nulls : way}, ${id} ${way}`;
}

export type Slice = { offset: number; take: number; isDescending: boolean };

/** Returns the next ids of the whole list. Consecutive calls in a snapshot continue where the previous call ended. */
export async function restOfOrdered(db: Db, list: OrderedList, request: PageRequest): Promise<number[]> {
  const { table, id, bounds, conditions } = list;
  const order = orderOf(list, request.sortOrder === 'desc');
  const statement = sql`
    select ${sql.ref(id)} as id from ${sql.table(table)} where ${every([...bounds, ...conditions])} order by ${order}`;
  const rows = await nextRows<{ id: number }>(db, { key: restOfOrdered, statement, take: request.take });
  return rows.map((row) => row.id);
}

/** Returns the page if there are at most `most` matches. Otherwise the total is `most` + 1 and the ids must be ignored. */
export async function pageOfFew(
  db: Db,
  list: OrderedList,
  { offset, take, isDescending }: Slice,
  most: number,
): Promise<Found<number>> {
  const { table, id, bounds, conditions } = list;
  const order = orderOf(list, isDescending, sql`key`, sql`id`);
  const { rows } = await sql<{ total: number; ids: number[] }>`
    with few as materialized (
      select ${sql.ref(id)} as id, ${keyOf(list)} as key from ${sql.table(table)} where ${every([...bounds, ...conditions])}
      limit ${sql.lit(most + 1)}
    )
    select (select count(*)::int from few) as total,
      array(select id from few order by ${order} limit ${take} offset ${offset}) as ids`.execute(db);
  const { total, ids } = rows[0]!;
  return { total, rows: ids, isExact: true };
}

/** Selects the first rows in order, under an alias that equals the name of their table. */
function firstOf(list: OrderedList, isDescending: boolean, rows: number) {
  const { table, bounds, implied = [] } = list;
  return sql`(
    select * from ${sql.table(table)} where ${every([...bounds, ...implied])}
    order by ${orderOf(list, isDescending)} limit ${sql.lit(rows)}
  ) ${sql.table(table)}`;
}

/** Returns a page of the matches among the first `most` rows in order. It is incomplete if too few of these rows match. */
export async function pageOfFirst(
  db: Db,
  list: OrderedList,
  { offset, take, isDescending }: Slice,
  most: number,
): Promise<number[]> {
  const first = firstOf(list, isDescending, most);
  // The outer query is not sorted, because sorting again would read all of the first rows.
  const { rows } = await sql<{ id: number }>`
    select ${sql.ref(list.id)} as id from ${first} where ${every(list.conditions)} limit ${take} offset ${offset}`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/** Completes a page that is not full. It is the last page if all rows were scanned. */
async function lastPage(
  db: Db,
  list: OrderedList,
  { ids, slice }: { ids: number[]; slice: Slice },
): Promise<Found<number>> {
  const few = await pageOfFew(db, list, slice, STILL_FEW);
  if (few.total <= STILL_FEW) return few;
  const first = firstOf(list, slice.isDescending, FIRST);
  const { rows } = await sql<{ looked: number; found: number }>`
    select count(*)::int as looked, (count(*) filter (where ${every(list.conditions)}))::int as found from ${first}`.execute(
    db,
  );
  const { looked, found } = rows[0]!;
  if (looked === FIRST) throw listErrors.FILTER_TOO_WIDE({ looked });
  return { rows: ids, total: found, isExact: true };
}
