import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx } from '../db.ts';
import type { Range } from './conditions.ts';

/** Where rows are read from, and what they have to meet. */
export type Wanted<S, F> = { source: S; range: Range; filter: F };

/** How rows of a source are read: `rows` of them in the order of the list; undefined: all. */
export type Reading<S> = { source: S; range: Range; isDescending: boolean; rows: number | undefined };

/** Whether somebody has counted the rows of a source: marks of a scope, nobody yet but the engine may, or nobody at all. */
export type Size = { of: 'few' } | { of: 'marked'; scope: number } | { of: 'uncounted' } | { of: 'unknown' };

/** What the engine has to be told about a table, or several tables that are one list. */
export type ListTable<S, F, R, Raw = R> = {
  /** The statement that reads rows of a source through an index. */
  rowsOf: (reading: Reading<S>) => RawBuilder<unknown>;
  /** The statement that chooses matches from `lines`, the rows that were read: `id`, what orders them and what is shown. */
  matches: (filter: F) => RawBuilder<unknown>;
  /** The order of the list. Default: by id. */
  order?: (way: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** What is shown of the matches of a page (`page`), and what is joined to them for that. */
  columns: RawBuilder<unknown>;
  joins?: RawBuilder<unknown>;
  toRow: (raw: Raw) => R;
  /** The statement that the planner is asked about: as many rows as the source has that meet the filter. */
  planned: (wanted: Wanted<S, F>) => RawBuilder<unknown>;
  sizeOf: (source: S) => Size;
  /** All rows are read without an order: a look at some of them has to be cut by marks. */
  isUnordered?: boolean;
};

export type PageQuery<S, F> = Wanted<S, F> & {
  isDescending: boolean;
  rows: number | undefined;
  /** Whether the rows that are looked at are counted, which costs as much as reading them all. */
  countsRows: boolean;
  /** Matches that are counted. */
  most: number;
  offset: number;
  take: number;
  /** What the matches that were counted are sorted by, instead of the order of the list. */
  by?: RawBuilder<unknown> | undefined;
};

/**
 * A page of the matches among the first `rows` rows of a source: how many rows were looked at, how many of them matched (`most` at
 * most), and the page.
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
