import type { Found, PageRequest } from './engine.ts';
import type { Mark } from './marked-list.ts';
import type { readMarks } from './marks.ts';

type Reader = Pick<ReturnType<typeof readMarks>, 'before' | 'after'>;
/** `take` rows after the first `skip`, in id order, beginning at id `from` and leaving out `others`. */
type Place = {
  from: bigint;
  below: bigint | undefined;
  others: readonly bigint[];
  skip: number;
  take: number;
};
type Ranked<R> = {
  scope: number;
  /** Number of rows in the scope. */
  all: number;
  /** Ids of rows of the scope to exclude, ascending. */
  others?: readonly bigint[];
  /** Uses the first mark after the page as its upper limit too. */
  isBounded?: boolean;
  read: (place: Place) => Promise<R[]>;
};

/**
 * Returns a page of a list in which every position is known. Positions are counted from the oldest row, so later rows do not change them.
 * Reads one mark and at most MARK_EVERY rows between it and the page.
 */
export async function rankedPage<R>(
  marks: Reader,
  { page, take: most, sortOrder }: PageRequest,
  { scope, all, others = [], isBounded = false, read }: Ranked<R>,
): Promise<Found<R>> {
  const total = all - others.length;
  const begin = (page - 1) * most;
  if (begin >= total) return { total, rows: [] };
  const take = Math.min(most, total - begin);
  const isDescending = sortOrder === 'desc';
  const oldest = isDescending ? total - begin - take : begin;
  const [{ mark, rows }, after] = await Promise.all([
    markBefore((n) => marks.before(scope, n), others, oldest),
    isBounded ? marks.after(scope, oldest + take) : undefined,
  ]);
  const found = await read({
    from: mark.id,
    below: after?.id,
    others: others.slice(countBelow(others, mark.id)),
    skip: oldest - rows,
    take,
  });
  return { total, rows: isDescending ? found.reverse() : found };
}

/** Returns the last mark with at most `oldest` rows before it, not counting `others`, and the number of those rows. */
async function markBefore(
  before: (rows: number) => Promise<Mark>,
  others: readonly bigint[],
  oldest: number,
): Promise<{ mark: Mark; rows: number }> {
  for (let left = 0; ; ) {
    const mark = await before(oldest + left);
    const now = countBelow(others, mark.id);
    if (now === left) return { mark, rows: mark.rows - left };
    left = now;
  }
}

/** Returns how many of the ascending ids are smaller than `id`. */
function countBelow(ids: readonly bigint[], id: bigint): number {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ids[middle]! < id) from = middle + 1;
    else to = middle;
  }
  return from;
}
