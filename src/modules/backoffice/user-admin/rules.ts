/** The maximum number of matches that is counted exactly. Larger totals are estimates. */
export const COUNTED_USERS = 10_000;
/** The maximum depth of a page for which users are read in list order, counted in rows from the start of the list. */
export const EARLY = 500;

/**
 * Returns the limits of the search for a page. If there are at most `sorted` matches, all of them are read and sorted. If there are more,
 * up to `lookedAt` users are read in list order until the page is full. Rows are stored in the order of sign-up, so reading them in that
 * order costs a tenth of reading them in another order.
 */
export const effortOf = (sortBy: string): { sorted: number; lookedAt: number } =>
  sortBy === 'id' || sortBy === 'createdAt'
    ? { sorted: 1000, lookedAt: 20_000 }
    : { sorted: 4000, lookedAt: 10_000 };

/** The number of users from one mark to the next. */
export const USERS_PER_MARK = 5000;

export type Place = { isBackward: boolean; offset: number; take: number };

/**
 * Returns where to start reading a page and in which direction: backward if the end of the list is nearer. `depth` is the distance to the
 * nearer end. Returns undefined for a page beyond the end.
 */
export function placeOf(
  { page, take }: { page: number; take: number },
  total: number,
): (Place & { depth: number }) | undefined {
  const offset = (page - 1) * take;
  if (offset >= total) return undefined;
  const rows = Math.min(take, total - offset);
  const fromEnd = total - offset - rows;
  const isBackward = fromEnd < offset;
  return { isBackward, offset: isBackward ? fromEnd : offset, take: rows, depth: Math.min(offset, fromEnd) };
}
