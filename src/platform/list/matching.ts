import { listErrors } from '../errors.ts';

/** Matches are counted exactly up to this number. If more than twice as many are expected, they are not counted. */
export const COUNTED = 500;
/** Number of rows that can be read from the start of a longer filtered list. */
export const REACH = 10_000;
/** Number of rows scanned first, by how widely a scope's rows are spread. */
export const PROBES = { all: 2000, user: 1000, other: 250 } as const;
/** Lists up to this length are scanned completely and all their matches are counted. */
export const SHORT = 10_000;
/** Maximum number of rows scanned to fill a page of a filter. */
export const LOOKED = 200_000;
/** Maximum number of matches that can be sorted by amount. */
export const SORTED = 10_000;

/** Result of scanning the first rows of a list. `isWhole` is true if there were no other rows. */
export type Look<R> = { found: number; most: number; rows: R[]; isWhole: boolean; share: number };

export type Search<R> = {
  /** Scans this many rows in list order. Undefined means all rows. */
  look: (rows: number | undefined) => Promise<Look<R>>;
  /** Number of rows scanned first. */
  probe: number;
  /** Maximum number of rows scanned in total. */
  looked: number;
  /** Number of rows to scan, or slightly more. Undefined if they are not counted. */
  known: number | undefined;
  /** The planner's estimates of the rows to scan and the rows that match. */
  estimate: { rows: () => Promise<number>; matches: () => Promise<number> };
};

/**
 * Returns a page of a filtered list that is too long to be counted. It first scans the beginning of the list. The share of matches found
 * there decides whether to count all matches and how far to scan. The total is exact up to COUNTED, otherwise an estimate above it. Throws
 * 400 PAGE_TOO_DEEP or FILTER_TOO_WIDE.
 */
export async function findMatching<R>(
  { look, probe, looked, known, estimate: planner }: Search<R>,
  { page, take }: { page: number; take: number },
): Promise<{ total: number; rows: R[]; isExact: boolean }> {
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
  // The first rows may not be representative, whereas the planner's estimate covers the whole list.
  const planned = isLong ? estimate : await planner.matches();
  const total = Math.max(planned, COUNTED + 1, offset + next.rows.length);
  if (offset >= REACH) return beyond(offset, total);
  if (next.rows.length < take && !next.isWhole) throw listErrors.FILTER_TOO_WIDE({ looked });
  return { total, rows: next.rows, isExact: false };
}

/** Builds the result when all matches are counted. Pages beyond REACH are rejected. */
const whole = <R>(offset: number, { found, rows }: Look<R>) =>
  offset >= REACH ? { ...beyond(offset, found), isExact: true } : { total: found, rows, isExact: true };

/** Returns an empty page, or throws if rows may follow. The end of an estimated list is unknown, so only its beginning can be read. */
function beyond(offset: number, total: number): { total: number; rows: never[]; isExact: boolean } {
  if (offset < total) throw listErrors.PAGE_TOO_DEEP({ reach: REACH });
  return { total, rows: [], isExact: false };
}

/** Returns the number of rows expected to contain the first `end` matches, given the share of matching rows, with a margin. */
const rowsFor = (end: number, share: number): number =>
  share > 0 ? Math.ceil((end / share) * 1.3) + PROBES.all : Number.POSITIVE_INFINITY;
