import type { RawBuilder } from 'kysely';
import type { Db } from '../database/db.ts';
import { inSnapshot } from '../database/snapshot.ts';
import { listErrors } from '../errors.ts';
import { givenIn } from './conditions.ts';
import { rankedPage } from './marked-list.ts';
import { type OrderedList, orderedPage, restOfOrdered } from './ordered.ts';
import type { Found, PageRequest } from './page.ts';
import { LOOKED, matchingPage } from './scanned.ts';
import { readPage, readRest, type ScannedList } from './table.ts';

/** Maximum number of matches for which a list in id order can be sorted by another column. */
const SORTED = 10_000;

/**
 * Returns a page of a list. Within a snapshot, returns the next rows of the whole list. The description of a list contains its source, its
 * conditions and its order. There are two kinds:
 *
 * - An `OrderedList` is one table with an index for each of its orders. The planner estimates the number of matches before any rows are
 *   read. The page contains ids. The total is exact up to 1,000 matches.
 * - A `ScannedList` is a set of sources in id order, over tables with any number of rows. If the list has no conditions, marks are used to
 *   find its pages, and totals are exact. Otherwise its first rows are scanned, and the total is exact up to 500 matches.
 *
 * Throws 400 PAGE_TOO_DEEP, FILTER_TOO_WIDE or SORT_TOO_LONG.
 */
export function readList(db: Db, list: OrderedList, request: PageRequest): Promise<Found<number>>;
export function readList<S, F extends object, R, Raw>(
  db: Db,
  list: ScannedList<S, F, R, Raw>,
  request: PageRequest,
): Promise<Found<R>>;
export async function readList<S, F extends object, R, Raw>(
  db: Db,
  list: OrderedList | ScannedList<S, F, R, Raw>,
  request: PageRequest,
): Promise<Found<number | R>> {
  const isOrdered = 'key' in list;
  if (inSnapshot()) {
    const rows = await (isOrdered ? restOfOrdered(db, list, request) : readRest(db, list, request));
    return { total: rows.length, rows, isExact: false };
  }
  if (isOrdered) return orderedPage(db, list, request);
  if (list.by) return sortedPage(db, list, { request, by: list.by });
  return (await markedPage(db, list, request)) ?? matchingPage(db, list, request);
}

/** Returns the scope whose marks find the pages of a list. Returns undefined if other conditions exclude rows of that scope. */
function scopeOf<S, F extends object, R, Raw>(list: ScannedList<S, F, R, Raw>): number | undefined {
  const { table, source, range, filter, excluding } = list;
  const size = table.sizeOf(source);
  const isPlain = !range.start && !range.end;
  const isAll = givenIn(filter).every((field) => excluding?.conditions.includes(field));
  return size.of === 'marked' && isPlain && isAll ? size.scope : undefined;
}

/** Finds a page with the help of marks. Returns undefined if the list must be scanned. */
async function markedPage<S, F extends object, R, Raw>(
  db: Db,
  list: ScannedList<S, F, R, Raw>,
  request: PageRequest,
): Promise<Found<R> | undefined> {
  const { table, source, filter, marks, excluding } = list;
  const scope = scopeOf(list);
  if (scope === undefined || !marks) return undefined;
  if (excluding) return excluding.page();
  return rankedPage(marks, request, {
    scope,
    all: await marks.total(scope),
    isBounded: true,
    read: async ({ from, below, skip, take }) => {
      // Each row of the source produces at least one match.
      const rows = skip + take;
      const place = { range: { from, below }, offset: skip, take, rows, most: rows };
      const query = { ...place, source, filter, isDescending: false, countsRows: false };
      return (await readPage(db, table, query)).rows;
    },
  });
}

/** Returns all matches among the scanned rows, sorted differently from the list order. Throws 400 SORT_TOO_LONG. */
async function sortedPage<S, F extends object, R, Raw>(
  db: Db,
  list: ScannedList<S, F, R, Raw>,
  { request, by }: { request: PageRequest; by: RawBuilder<unknown> },
): Promise<Found<R>> {
  const { table, source, range, filter, excluding, looked = LOOKED } = list;
  const { page, take, sortOrder } = request;
  // If nearly all rows match, reading slightly more rows than can be sorted shows whether the list is too long.
  const rows = scopeOf(list) === undefined ? looked : SORTED + (excluding?.most ?? 0) + 1;
  const read = await readPage(db, table, {
    source,
    range,
    filter,
    by,
    isDescending: sortOrder === 'desc',
    take,
    rows,
    countsRows: true,
    most: SORTED + 1,
    offset: Math.min((page - 1) * take, SORTED),
  });
  if (read.looked === rows || read.found > SORTED) throw listErrors.SORT_TOO_LONG({ most: SORTED });
  return { total: read.found, rows: read.rows };
}
