import type { Db } from '../../../platform/database/db.ts';
import { inSnapshot } from '../../../platform/database/snapshot.ts';
import { readList } from '../../../platform/list/list.ts';
import {
  matchesOf,
  type OrderedList,
  pageOfFew,
  pageOfFirst,
  type Slice,
} from '../../../platform/list/ordered.ts';
import { countUpTo, type Found, type PageRequest, plannedRows, REACH } from '../../../platform/list/page.ts';
import { type Condition, countAll, pageOfIds, pageOfSorted, type SortBy, userList } from './queries.ts';
import { COUNTED_USERS, EARLY, effortOf, placeOf, USERS_PER_MARK } from './rules.ts';
import { userAdminErrors } from './schemas.ts';
import type { UserAdminDeps } from './view.ts';

type Request = PageRequest & { sortBy: SortBy };

/**
 * Returns the ids of a page, which are read through the index of the sort order. The total is exact if there is no filter or there are at
 * most 10,000 matches. Otherwise it is the planner's estimate, but at least 10,001.
 */
export function findUsers(
  deps: Pick<UserAdminDeps, 'reads' | 'userAdmin'>,
  request: Request,
  conditions: readonly Condition[],
): Promise<Found<number>> {
  const list = userList(conditions, request.sortBy);
  if (inSnapshot()) return readList(deps.reads, list, request);
  return conditions.length === 0 ? whole(deps, request) : matching(deps.reads, request, list);
}

/**
 * Reads and sorts all matches if there are few. Otherwise reads users in list order until a page is full. This is fast unless the matching
 * users are far from the start of the list.
 */
async function matching(db: Db, request: Request, list: OrderedList): Promise<Found<number>> {
  const { page, take, sortBy, sortOrder } = request;
  const offset = (page - 1) * take;
  const isDescending = sortOrder === 'desc';
  const estimate = await plannedRows(db, matchesOf(list));
  const { sorted, lookedAt } = effortOf(sortBy);
  if (estimate <= 2 * sorted) {
    const slice = { offset: Math.min(offset, sorted), take, isDescending };
    const few = await pageOfFew(db, list, slice, sorted);
    if (few.total <= sorted) return { rows: offset < few.total ? few.rows : [], total: few.total };
  }
  // Skips the count if the planner expects far more matches than are counted exactly.
  const isCounted = estimate <= 2 * COUNTED_USERS;
  const counted = isCounted ? await countUpTo(db, matchesOf(list), COUNTED_USERS + 1) : undefined;
  const isExact = counted !== undefined && counted <= COUNTED_USERS;
  const total = isExact ? counted : Math.max(estimate, COUNTED_USERS + 1);
  if (offset >= total) return { rows: [], total, isExact };
  // The exact end of a list is unknown if its length is estimated, so pages can be found only from the start.
  if (offset >= REACH) throw userAdminErrors.PAGE_TOO_DEEP({ reach: REACH });
  const rows = await pageOfMany(db, list, { offset, take, isDescending }, { lookedAt, isExact });
  const isLast = !isExact && rows.length < take;
  return { rows, total: isLast ? offset + rows.length : total, isExact: isExact || isLast };
}

async function pageOfMany(
  db: Db,
  list: OrderedList,
  slice: Slice,
  { lookedAt, isExact }: { lookedAt: number; isExact: boolean },
): Promise<number[]> {
  const { offset, take } = slice;
  const early = offset + take <= EARLY ? await pageOfFirst(db, list, slice, lookedAt) : [];
  if (early.length === take) return early;
  return isExact ? pageOfSorted(db, list, slice) : pageOfIds(db, list, slice);
}

/**
 * Finds a page of the full list. The list can be read from both ends and, in sort orders where users keep their position, from every
 * 5,000th user.
 */
async function whole(
  { reads: db, userAdmin: { marks } }: Pick<UserAdminDeps, 'reads' | 'userAdmin'>,
  request: Request,
): Promise<Found<number>> {
  const total = await countAll(db);
  const place = placeOf(request, total);
  if (!place) return { rows: [], total };
  const { depth, isBackward, offset, take } = place;
  const { sortBy } = request;
  const isDescending = (request.sortOrder === 'desc') !== isBackward;
  if (depth < USERS_PER_MARK || (sortBy !== 'id' && sortBy !== 'createdAt')) {
    if (depth >= REACH) throw userAdminErrors.PAGE_TOO_DEEP({ reach: REACH });
    const ids = await pageOfIds(db, userList([], sortBy), { isDescending, offset, take });
    return { rows: isBackward ? ids.reverse() : ids, total };
  }
  const oldestFirst = isDescending ? total - offset - take : offset;
  const { conditions, skip } = await marks.before(sortBy, oldestFirst);
  const slice = { isDescending: false, offset: skip, take };
  const ids = await pageOfIds(db, userList(conditions, sortBy), slice);
  return { rows: request.sortOrder === 'desc' ? ids.reverse() : ids, total };
}
