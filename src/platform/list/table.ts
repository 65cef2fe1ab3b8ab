import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../database/db.ts';
import { nextRows } from '../database/snapshot.ts';
import type { Range } from './conditions.ts';
import type { Marks } from './marks.ts';
import type { Found, PageRequest } from './page.ts';

/** The source of rows and the conditions that they must meet. */
export type Wanted<S, F> = { source: S; range: Range; filter: F };

/** Describes how to read rows of a source: the first `rows` rows in list order, or all rows if `rows` is undefined. */
export type Reading<S> = { source: S; range: Range; isDescending: boolean; rows: number | undefined };

/**
 * How a source's rows can be counted. `marked`: with the marks of a scope. `uncounted`: the list code may count them. `unknown`: they
 * cannot be counted. `few`: there are so few that no count is needed.
 */
export type Size = { of: 'few' } | { of: 'marked'; scope: number } | { of: 'uncounted' } | { of: 'unknown' };

/** Describes a table, or several tables that form one list, to the list code. */
export type ListTable<S, F, R, Raw = R> = {
  /** Statement that reads rows of a source through an index. */
  rowsOf: (reading: Reading<S>) => RawBuilder<unknown>;
  /**
   * Statement that selects the matches from the scanned rows, which it reads under the name `lines`. It returns `id`, the order columns and
   * the displayed columns.
   */
  matches: (filter: F) => RawBuilder<unknown>;
  /** The list order. Defaults to `id`. */
  order?: (way: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** The displayed columns of a page's matches (`page`), and the joins that they need. */
  columns: RawBuilder<unknown>;
  joins?: RawBuilder<unknown>;
  toRow: (raw: Raw) => R;
  /** The statement for which the planner estimates the number of the source's rows that meet the filter. */
  planned: (wanted: Wanted<S, F>) => RawBuilder<unknown>;
  sizeOf: (source: S) => Size;
  /** True if the rows are read in no particular order, so that marks must limit a partial scan. */
  isUnordered?: boolean;
};

/** A list in the order of its ids, read from one source. `filter` contains the conditions that the source does not guarantee. */
export type ScannedList<S, F, R, Raw = R> = Wanted<S, F> & {
  table: ListTable<S, F, R, Raw>;
  /** The order of the matches, if it is not the list order. Such a list is limited to SORTED matches. */
  by?: RawBuilder<unknown> | undefined;
  marks?: Marks | undefined;
  /**
   * Conditions that exclude few rows, and the usual maximum number of excluded rows. `page` finds a page of a list that has no other
   * conditions. It returns undefined if too many rows are excluded.
   */
  excluding?: {
    conditions: readonly (keyof F)[];
    most: number;
    page: () => Promise<Found<R> | undefined>;
  };
  /** Maximum number of rows scanned to fill a page of a filtered list. */
  looked?: number | undefined;
};

export type PageQuery<S, F> = Wanted<S, F> & {
  isDescending: boolean;
  rows: number | undefined;
  /** True if the scanned rows are counted, which costs as much as reading all of them. */
  countsRows: boolean;
  /** Maximum number of matches to count. */
  most: number;
  offset: number;
  take: number;
  /** The order of the counted matches, if it is not the list order. */
  by?: RawBuilder<unknown> | undefined;
};

/**
 * Returns a page of the matches among the first `rows` rows of a source. `looked` is the number of rows scanned, `found` the number of
 * matches (at most `most`).
 */
export async function readPage<S, F, R, Raw>(
  db: DbOrTx,
  table: ListTable<S, F, R, Raw>,
  query: PageQuery<S, F>,
): Promise<{ looked: number; found: number; rows: R[] }> {
  const { filter, isDescending, countsRows, most, offset, take, by } = query;
  const way = isDescending ? sql`desc` : sql`asc`;
  const order = table.order?.(way) ?? sql`id ${way}`;
  const shown = by ? sql`${by} ${way}, ${order}` : order;
  const { rows } = await sql<Raw & { isRow: boolean; looked: number; found: number }>`
    with lines as ${sql.raw(countsRows ? 'materialized' : 'not materialized')} (${table.rowsOf(query)}),
    matching as materialized (${table.matches(filter)} order by ${order} limit ${sql.lit(most)}),
    page as (select * from matching order by ${shown} limit ${take} offset ${offset})
    select counts.looked, counts.found, page.id is not null as "isRow", ${table.columns}
    from (select ${countsRows ? sql`(select count(*)::int from lines)` : sql`0`} as looked,
      (select count(*)::int from matching) as found) counts
    left join page on true ${table.joins ?? sql``}
    order by ${shown}`.execute(db);
  const { looked, found } = rows[0]!;
  const shownRows = rows.flatMap(({ isRow, looked: _, found: __, ...row }) => (isRow ? [row as Raw] : []));
  return { looked, found, rows: shownRows.map(table.toRow) };
}

/** Returns the next matching rows, for a snapshot that reads the whole list. */
export async function readRest<S, F, R, Raw>(
  db: DbOrTx,
  { table, source, range, filter, by }: ScannedList<S, F, R, Raw>,
  { take, sortOrder }: PageRequest,
): Promise<R[]> {
  const isDescending = sortOrder === 'desc';
  const way = isDescending ? sql`desc` : sql`asc`;
  const order = table.order?.(way) ?? sql`id ${way}`;
  const statement = sql`
    with lines as not materialized (${table.rowsOf({ source, range, isDescending, rows: undefined })}),
    page as (${table.matches(filter)})
    select ${table.columns} from page ${table.joins ?? sql``} order by ${by ? sql`${by} ${way}, ${order}` : order}`;
  const rows = await nextRows<Raw>(db, { key: table, statement, take });
  return rows.map(table.toRow);
}
