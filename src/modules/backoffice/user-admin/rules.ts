/** Matches that are counted one by one. More of them are estimated. */
export const COUNTED = 10_000;
/** Only pages among so many first rows are looked for by reading users in the order of the list. */
export const EARLY = 500;

/**
 * How much work each way to find a page may be: at most `sorted` matches are all read and sorted; of more, `lookedAt` users are read in
 * the order of the list until a page of them matches. Rows are stored in the order of sign-up, so that reading them in that order costs
 * a tenth of any other.
 */
export const effortOf = (sortBy: string): { sorted: number; lookedAt: number } =>
  sortBy === 'id' || sortBy === 'createdAt'
    ? { sorted: 1000, lookedAt: 20_000 }
    : { sorted: 4000, lookedAt: 10_000 };

/** Rows between two marks in a list whose positions are known. */
export const MARK_EVERY = 5000;
/** Rows of a long list that can be read from either end where no marks are kept. */
export const REACH = 10_000;

export type Place = { isBackward: boolean; offset: number; take: number };

/**
 * Where to read rows `offset` … of `total` in an order: forward, or backward from the end when that is nearer. Undefined beyond
 * the end.
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
