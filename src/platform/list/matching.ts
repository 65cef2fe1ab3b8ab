import { listErrors } from '../errors.ts';

/** Matches that are counted one by one; what is expected to be more than twice as many is not counted at all. */
export const COUNTED = 500;
/** How far into a filtered list of more than that one can read. */
export const REACH = 10_000;
/** Rows that are looked at first, by how far apart they lie. */
export const PROBES = { all: 2000, user: 1000, other: 250 } as const;
/** Rows that are looked at all at once, and matches that are counted of them. */
export const SHORT = 10_000;
/** Rows that are looked at to fill a page of a filter. */
export const LOOKED = 200_000;
/** Matches that can be sorted by amount. */
export const SORTED = 10_000;

/** What the first rows of a list have shown. `isWhole`: there were no others. */
export type Look<R> = { found: number; most: number; rows: R[]; isWhole: boolean; share: number };

export type Search<R> = {
  /** Looks at so many rows, in the order of the list; undefined: at all of them. */
  look: (rows: number | undefined) => Promise<Look<R>>;
  /** Rows that are looked at first. */
  probe: number;
  /** Rows that are looked at in all. */
  looked: number;
  /** How many rows there are to look at, or a few more; undefined where nobody has counted. */
  known: number | undefined;
  /** What the planner expects: rows to look at, and rows that match. */
  estimate: { rows: () => Promise<number>; matches: () => Promise<number> };
};

/**
 * A page of a filtered list that is too long to be counted. It is looked for among the first rows. What that shows of the share
 * that matches says whether to count all matches and how far to look on. The total is exact up to COUNTED, else an estimate above
 * it. Throws 400 PAGE_TOO_DEEP, FILTER_TOO_WIDE.
 */
export async function findMatching<R>(
  { look, probe, looked, known, estimate: planner }: Search<R>,
  { page, take }: { page: number; take: number },
): Promise<{ total: number; rows: R[] }> {
  const offset = (page - 1) * take;
  const isShort = known !== undefined && known <= SHORT;
  const first = await look(isShort ? undefined : probe);
  if (first.isWhole) return whole(offset, first);
  const estimate = Math.round(first.share * (known ?? (await planner.rows())));
  const isLong = estimate > 2 * COUNTED;
  if (isLong && first.rows.length === take) return { total: estimate, rows: first.rows };
  if (isLong && offset >= REACH) return beyond(offset, estimate);
  const most = known !== undefined && known <= looked ? undefined : looked;
  const isMore = estimate > COUNTED;
  const end = Math.max(offset + take, isLong ? 0 : COUNTED + 1);
  let next = await look(isMore ? Math.min(looked, rowsFor(end, first.share)) : most);
  if (!next.isWhole && next.rows.length < take && isMore) next = await look(most);
  if (next.isWhole && next.found < next.most) return whole(offset, next);
  // The first rows of a list may be unlike the rest of it: what the planner knows is about all.
  const planned = isLong ? estimate : await planner.matches();
  const total = Math.max(planned, COUNTED + 1, offset + next.rows.length);
  if (offset >= REACH) return beyond(offset, total);
  if (next.rows.length < take && !next.isWhole) throw listErrors.FILTER_TOO_WIDE({ looked });
  return { total, rows: next.rows };
}

/** All matches are counted. Rows are looked for within the reach alone. */
const whole = <R>(offset: number, { found, rows }: Look<R>) =>
  offset >= REACH ? beyond(offset, found) : { total: found, rows };

/** Where an estimated list ends nobody knows: it is read from its beginning only. */
function beyond(offset: number, total: number): { total: number; rows: never[] } {
  if (offset < total) throw listErrors.PAGE_TOO_DEEP({ reach: REACH });
  return { total, rows: [] };
}

/** Rows among which a page that ends at match `end` is expected, when so large a share of them matches. */
const rowsFor = (end: number, share: number): number =>
  share > 0 ? Math.ceil((end / share) * 1.3) + PROBES.all : Number.POSITIVE_INFINITY;
