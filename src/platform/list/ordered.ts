import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database/db.ts';
import { inSnapshot, nextRows } from '../database/snapshot.ts';
import { listErrors } from '../errors.ts';
import { every, plannedRows } from './conditions.ts';

type Sql = RawBuilder<unknown>;

/** Number of rows that can be read from the start of a list. */
const REACH = 10_000;
/** Up to this many matches are read completely and sorted, and their total is exact. */
const FEW = 1_000;
/** The same limit if the first rows in order do not contain enough matches for a page. */
const SORTED = 5_000;
/** Maximum number of rows scanned in list order to fill a page of a filter. */
const LOOKED = 20_000;

/** A table and a list order. An index must begin with the columns of `bounds`, followed by `key` and `id`. */
export type Ordered = {
  table: string;
  /** The integer column that identifies a row. */
  id: string;
  key: string;
  isDescending: boolean;
  /** Conditions that the index guarantees. Rows that do not meet them are not read. */
  bounds: readonly Sql[];
  /** Further conditions of a row. Columns are qualified with their table. */
  conditions: readonly Sql[];
  /** Number of rows that meet all conditions, if it was counted. */
  known?: number | undefined;
};
type Request = { page: number; take: number };
/** `isExact` is false if the total is an estimate. */
export type FoundIds = { ids: number[]; total: number; isExact: boolean };

/**
 * Returns the ids of a page of a list with several possible orders. Few matches are all read and sorted, by whichever index finds them. For
 * more matches it scans the first rows in order. Totals above FEW are estimates unless `known`. Throws 400 PAGE_TOO_DEEP or
 * FILTER_TOO_WIDE.
 */
export async function pageOfIds(db: Db, list: Ordered, { page, take }: Request): Promise<FoundIds> {
  if (inSnapshot()) return restOf(db, list, take);
  const offset = (page - 1) * take;
  const { known } = list;
  if (known !== undefined && offset >= known) return { ids: [], total: known, isExact: true };
  const estimate = known ?? (await plannedRows(db, matchesOf(list)));
  const request = { offset: Math.min(offset, REACH), take };
  const isPerhapsFew = known === undefined ? estimate <= 2 * FEW : known <= FEW;
  const few = isPerhapsFew ? await pageOfFew(db, list, request, FEW) : undefined;
  if (few && few.total <= FEW) return { ...few, isExact: true };
  if (offset >= REACH) throw listErrors.PAGE_TOO_DEEP({ reach: REACH });
  const first = await pageOfFirst(db, list, request);
  const total = known ?? Math.max(estimate, FEW + 1, offset + first.length);
  if (first.length === take) return { ids: first, total, isExact: known !== undefined };
  return lastPage(db, list, { ids: first, request });
}

const matchesOf = ({ table, bounds, conditions }: Ordered) =>
  sql`select 1 from ${sql.table(table)} where ${every([...bounds, ...conditions])}`;

const orderOf = ({ key, id, isDescending }: Ordered) => {
  const way = isDescending ? sql`desc` : sql`asc`;
  return sql`${sql.ref(key)} ${way}, ${sql.ref(id)} ${way}`;
};

type Slice = { offset: number; take: number };
type Few = { ids: number[]; total: number };

/** Returns the next ids of the whole list within a snapshot. */
async function restOf(db: Db, list: Ordered, take: number): Promise<FoundIds> {
  const { table, id, bounds, conditions } = list;
  const statement = sql`
    select ${sql.ref(id)} as id from ${sql.table(table)} where ${every([...bounds, ...conditions])} order by ${orderOf(list)}`;
  const rows = await nextRows<{ id: number }>(db, { key: restOf, statement, take });
  return { ids: rows.map((row) => row.id), total: rows.length, isExact: false };
}

/** Returns the page if there are at most `most` matches, otherwise a total of `most` + 1. */
async function pageOfFew(db: Db, list: Ordered, { offset, take }: Slice, most: number): Promise<Few> {
  const { table, key, id, bounds, conditions, isDescending } = list;
  const way = isDescending ? sql`desc` : sql`asc`;
  const { rows } = await sql<{ total: number; ids: number[] }>`
    with few as materialized (
      select ${sql.ref(id)} as id, ${sql.ref(key)} as key from ${sql.table(table)} where ${every([...bounds, ...conditions])}
      limit ${sql.lit(most + 1)}
    )
    select (select count(*)::int from few) as total,
      array(select id from few order by key ${way}, id ${way} limit ${take} offset ${offset}) as ids`.execute(
    db,
  );
  return rows[0]!;
}

/** Selects the first rows in order, aliased to the name of their table. */
const firstOf = (list: Ordered) => sql`(
  select * from ${sql.table(list.table)} where ${every(list.bounds)} order by ${orderOf(list)} limit ${sql.lit(LOOKED)}
) ${sql.table(list.table)}`;

async function pageOfFirst(db: Db, list: Ordered, { offset, take }: Slice): Promise<number[]> {
  // The outer query is not sorted, because sorting again would read all of the first rows.
  const { rows } = await sql<{ id: number }>`
    select ${sql.ref(list.id)} as id from ${firstOf(list)} where ${every(list.conditions)} limit ${take} offset ${offset}`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/** Completes a page that is not full. It is the last page if all rows were scanned. */
async function lastPage(
  db: Db,
  list: Ordered,
  { ids, request }: { ids: number[]; request: Slice },
): Promise<FoundIds> {
  const few = await pageOfFew(db, list, request, SORTED);
  if (few.total <= SORTED) return { ...few, isExact: true };
  const { rows } = await sql<{ looked: number; found: number }>`
    select count(*)::int as looked, (count(*) filter (where ${every(list.conditions)}))::int as found from ${firstOf(list)}`.execute(
    db,
  );
  const { looked, found } = rows[0]!;
  if (looked === LOOKED) throw listErrors.FILTER_TOO_WIDE({ looked });
  return { ids, total: found, isExact: true };
}
