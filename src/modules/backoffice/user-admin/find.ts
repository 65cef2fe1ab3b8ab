import type { Db } from '../../../platform/database/db.ts';
import { inSnapshot } from '../../../platform/database/snapshot.ts';
import type { UserAdminDeps } from './deps.ts';
import { userAdminErrors } from './errors.ts';
import {
  type Condition,
  countAll,
  countMatches,
  estimateMatches,
  nextIds,
  type PageRequest,
  pageOfFew,
  pageOfFirst,
  pageOfIds,
  pageOfSorted,
  type SortBy,
} from './queries.ts';
import { COUNTED, EARLY, effortOf, MARK_EVERY, placeOf, REACH } from './rules.ts';

type Request = { page: number; take: number; sortBy: SortBy; sortOrder: 'asc' | 'desc' };
type Found = { ids: number[]; total: number; isExact?: boolean };

/**
 * Returns the ids of a page, which are read through the index of the sort order. The total is exact without a filter and up to 10,000
 * matches. Otherwise it is the planner's estimate, but at least 10,001.
 */
export function findUsers(
  deps: Pick<UserAdminDeps, 'reads' | 'userAdmin'>,
  request: Request,
  conditions: readonly Condition[],
): Promise<Found> {
  if (inSnapshot()) return rest(deps.reads, request, conditions);
  return conditions.length === 0 ? whole(deps, request) : matching(deps.reads, request, conditions);
}

/** Returns the next users of the whole list. Consecutive calls in a snapshot continue where the previous call ended. */
async function rest(db: Db, request: Request, conditions: readonly Condition[]): Promise<Found> {
  const { sortBy, sortOrder, take } = request;
  const ids = await nextIds(db, { conditions, sortBy, isDescending: sortOrder === 'desc', take });
  return { ids, total: ids.length, isExact: false };
}

/**
 * Reads and sorts all matches if there are few. Otherwise reads users in list order until a page is full. This is fast unless the matching
 * users are far from the start of the list.
 */
async function matching(db: Db, request: Request, conditions: readonly Condition[]): Promise<Found> {
  const { page, take, sortBy, sortOrder } = request;
  const offset = (page - 1) * take;
  const wanted = { conditions, sortBy, isDescending: sortOrder === 'desc', take };
  const estimate = await estimateMatches(db, conditions);
  const { sorted } = effortOf(sortBy);
  if (estimate <= 2 * sorted) {
    const few = await pageOfFew(db, { ...wanted, offset: Math.min(offset, sorted), most: sorted });
    if (few.found <= sorted) return { ids: offset < few.found ? few.ids : [], total: few.found };
  }
  // Skips the count if the planner expects far more matches than the count can return.
  const counted = estimate <= 2 * COUNTED ? await countMatches(db, conditions, COUNTED + 1) : undefined;
  const isExact = counted !== undefined && counted <= COUNTED;
  const total = isExact ? counted : Math.max(estimate, COUNTED + 1);
  if (offset >= total) return { ids: [], total, isExact };
  // The exact end of a list with an estimated length is unknown, so pages can be found only from the start.
  if (offset >= REACH) throw userAdminErrors.PAGE_TOO_DEEP({ reach: REACH });
  const ids = await pageOfMany(db, { ...wanted, offset }, isExact);
  const isLast = !isExact && ids.length < take;
  return { ids, total: isLast ? offset + ids.length : total, isExact: isExact || isLast };
}

async function pageOfMany(db: Db, wanted: PageRequest, isExact: boolean): Promise<number[]> {
  const { offset, take } = wanted;
  const { lookedAt } = effortOf(wanted.sortBy);
  const early = offset + take <= EARLY ? await pageOfFirst(db, { ...wanted, most: lookedAt }) : [];
  if (early.length === take) return early;
  return isExact ? pageOfSorted(db, wanted) : pageOfIds(db, wanted);
}

/** Finds a page of the full list. It can be read from both ends and, in fixed orders, from every 5,000th user. */
async function whole(
  { reads: db, userAdmin: { marks } }: Pick<UserAdminDeps, 'reads' | 'userAdmin'>,
  request: Request,
): Promise<Found> {
  const total = await countAll(db);
  const place = placeOf(request, total);
  if (!place) return { ids: [], total };
  const { depth, isBackward, offset, take } = place;
  const { sortBy } = request;
  const isDescending = (request.sortOrder === 'desc') !== isBackward;
  if (depth < MARK_EVERY || (sortBy !== 'id' && sortBy !== 'createdAt')) {
    if (depth >= REACH) throw userAdminErrors.PAGE_TOO_DEEP({ reach: REACH });
    const ids = await pageOfIds(db, { conditions: [], sortBy, isDescending, offset, take });
    return { ids: isBackward ? ids.reverse() : ids, total };
  }
  const oldestFirst = isDescending ? total - offset - take : offset;
  const { conditions, skip } = await marks.before(sortBy, oldestFirst);
  const ids = await pageOfIds(db, { conditions, sortBy, isDescending: false, offset: skip, take });
  return { ids: request.sortOrder === 'desc' ? ids.reverse() : ids, total };
}
