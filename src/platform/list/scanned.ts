import type { DbOrTx } from '../database/db.ts';
import { listErrors } from '../errors.ts';
import { EVERYBODY } from './marked-list.ts';
import { countUpTo, type Found, type PageRequest, plannedRows, REACH } from './page.ts';
import { readPage, type ScannedList } from './table.ts';

/** Matches are counted exactly up to this number. If more than twice this number are expected, they are not counted. */
const COUNTED = 500;
/**
 * Number of rows scanned first. It depends on the kind of list: if the rows are spread widely over the table, fewer of them are scanned.
 */
const PROBES = { all: 2000, user: 1000, other: 250 } as const;
/** Lists up to this length are scanned completely and all their matches are counted. */
const SHORT = 10_000;
/** Maximum number of rows scanned to fill a page of a filtered list. */
export const LOOKED = 200_000;

/** Returns a page of a filtered list, for which it scans rows in list order up to a limit. Throws 400 PAGE_TOO_DEEP or FILTER_TOO_WIDE. */
export async function matchingPage<S, F extends object, R, Raw>(
  db: DbOrTx,
  list: ScannedList<S, F, R, Raw>,
  request: PageRequest,
): Promise<Found<R>> {
  const { table, source, range, looked = LOOKED } = list;
  const known = await countOf(db, list);
  // If the count of a source stopped early, the source has more rows than the limit.
  const least = table.sizeOf(source).of === 'uncounted' ? SHORT + 1 : 0;
  const planned = (filter: F) => plannedRows(db, table.planned({ source, range, filter }));
  return findMatching(
    {
      look: createLook(db, { list, known }, request),
      probe: probeOf(list),
      looked,
      known,
      estimate: {
        rows: async () => Math.max(least, await planned({} as F)),
        matches: () => planned(list.filter),
      },
    },
    request,
  );
}

/** The result of scanning the first rows of a list. `isWhole` is true if the list has no more rows. */
type Look<R> = { found: number; most: number; rows: R[]; isWhole: boolean; share: number };

type Search<R> = {
  /** The number of rows to scan in list order. Undefined means all rows. */
  look: (rows: number | undefined) => Promise<Look<R>>;
  /** Number of rows scanned first. */
  probe: number;
  /** Maximum number of rows scanned in total. */
  looked: number;
  /** Number of rows that can be scanned, or slightly more. Undefined if they are not counted. */
  known: number | undefined;
  /** The planner's estimates of the number of rows to scan and of the number of matches. */
  estimate: { rows: () => Promise<number>; matches: () => Promise<number> };
};

/**
 * Returns a page of a filtered list that is too long to be counted. It first scans the beginning of the list. The share of matches found
 * there decides whether to count all matches and how far to scan. The total is exact up to COUNTED and an estimate above it. Throws 400
 * PAGE_TOO_DEEP or FILTER_TOO_WIDE.
 */
async function findMatching<R>(
  { look, probe, looked, known, estimate: planner }: Search<R>,
  { page, take }: PageRequest,
): Promise<Found<R>> {
  const offset = (page - 1) * take;
  const isShort = known !== undefined && known <= SHORT;
  const first = await look(isShort ? undefined : probe);
  if (first.isWhole) return whole(offset, first);
  const estimate = Math.round(first.share * (known ?? (await planner.rows())));
  const isLong = estimate > 2 * COUNTED;
  if (isLong && first.rows.length === take) return { total: estimate, rows: first.rows, isExact: false };
  if (isLong && offset >= REACH) return beyond(offset, estimate);
  const most = known !== undefined && known <= looked ? undefined : looked;
  const isMore = estimate > COUNTED;
  const end = Math.max(offset + take, isLong ? 0 : COUNTED + 1);
  let next = await look(isMore ? Math.min(looked, rowsFor(end, first.share)) : most);
  if (!next.isWhole && next.rows.length < take && isMore) next = await look(most);
  if (next.isWhole && next.found < next.most) return whole(offset, next);
  // The first rows may not be representative, but the planner's estimate covers the whole list.
  const planned = isLong ? estimate : await planner.matches();
  const total = Math.max(planned, COUNTED + 1, offset + next.rows.length);
  if (offset >= REACH) return beyond(offset, total);
  if (next.rows.length < take && !next.isWhole) throw listErrors.FILTER_TOO_WIDE({ looked });
  return { total, rows: next.rows, isExact: false };
}

/** Builds the result when all matches are counted. Pages beyond REACH are rejected. */
const whole = <R>(offset: number, { found, rows }: Look<R>) =>
  offset >= REACH ? { ...beyond(offset, found), isExact: true } : { total: found, rows, isExact: true };

/**
 * Returns an empty page, or throws if the list may have more rows. The end of an estimated list is unknown, so only its beginning can be
 * read.
 */
function beyond(offset: number, total: number): Found<never> {
  if (offset < total) throw listErrors.PAGE_TOO_DEEP({ reach: REACH });
  return { total, rows: [], isExact: false };
}

/** Returns the number of rows expected to contain the first `end` matches, given the share of matching rows, with a margin. */
const rowsFor = (end: number, share: number): number =>
  share > 0 ? Math.ceil((end / share) * 1.3) + PROBES.all : Number.POSITIVE_INFINITY;

function probeOf<S, F, R, Raw>({ table, source }: ScannedList<S, F, R, Raw>): number {
  const size = table.sizeOf(source);
  if (size.of !== 'marked') return PROBES.other;
  return size.scope === EVERYBODY ? PROBES.all : PROBES.user;
}

/** Returns the number of rows of a source in a range, or slightly more. Returns undefined if the rows are not counted. */
async function countOf<S, F extends object, R, Raw>(
  db: DbOrTx,
  { table, marks, source, range }: ScannedList<S, F, R, Raw>,
): Promise<number | undefined> {
  const size = table.sizeOf(source);
  switch (size.of) {
    case 'few':
      return 0;
    case 'marked':
      return marks?.sizeOf(size.scope, range);
    case 'unknown':
      return undefined;
    case 'uncounted': {
      const rows = await countUpTo(db, table.planned({ source, range, filter: {} as F }), SHORT + 1);
      return rows > SHORT ? undefined : rows;
    }
  }
}

/** Creates a function that scans the first `rows` rows of a source, or all rows if `rows` is undefined. */
function createLook<S, F, R, Raw>(
  db: DbOrTx,
  { list, known }: { list: ScannedList<S, F, R, Raw>; known: number | undefined },
  { page, take, sortOrder }: PageRequest,
) {
  const { table, marks, source, filter } = list;
  const isDescending = sortOrder === 'desc';
  const offset = Math.min((page - 1) * take, REACH);
  const probe = probeOf(list);
  const isOfAll = probe === PROBES.all;
  return async (rows: number | undefined): Promise<Look<R>> => {
    const isCut = table.isUnordered && isOfAll && rows !== undefined;
    const near = isCut ? await marks?.near(list.range, { rows, isDescending }) : undefined;
    const isFirst = rows === undefined || rows === probe;
    const most = isFirst ? 2 * SHORT + take : Math.max(COUNTED + 1, offset + take);
    // When many rows of the list of all users are scanned, it is faster to apply the filter during the scan.
    const countsRows = rows !== undefined && (isFirst || !isOfAll);
    const range = near?.range ?? list.range;
    const query = { source, filter, range, isDescending, rows, countsRows, most, offset, take };
    const read = await readPage(db, table, query);
    const isRead = rows === undefined || (countsRows ? read.looked < rows : (known ?? rows + 1) <= rows);
    const share = Math.min(1, read.found / Math.max(read.looked, 1));
    return { found: read.found, most, rows: read.rows, isWhole: near?.isWhole ?? isRead, share };
  };
}
