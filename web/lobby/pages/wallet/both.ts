export const TAKE = 10;
/** The largest `take` of both operations. The pages of both lists together are taken from one response of each. */
export const MOST = 20;

/** Returns a page of both lists together, newest first. `rows`: the newest `MOST` of each list. Older ones are in the list of their kind. */
export function pageOfBoth<T extends { createdAt: string }>(rows: readonly T[], page: number) {
  const newest = rows.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt)).slice(0, MOST);
  return {
    data: newest.slice((page - 1) * TAKE, page * TAKE),
    page,
    take: TAKE,
    total: newest.length,
    totalPages: Math.ceil(newest.length / TAKE),
  };
}
