import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, paginated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits } from '../../../platform/money.ts';
import { searchFor } from '../../base/users/rules.ts';
import { holds, type Sight, sightOf, toUserDto, type UserRow } from '../../base/users/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { type Balances, balancesOfMany } from '../../money/ledger/balances.ts';
import { latestNotes } from '../user-notes/service.ts';
import { userAdminErrors } from './errors.ts';
import {
  type Condition,
  conditionsOf,
  countAll,
  countMatches,
  estimateMatches,
  type PageRequest,
  pageOfFew,
  pageOfFirst,
  pageOfIds,
  pageOfSorted,
  usersOf,
} from './queries.ts';
import { COUNTED, EARLY, effortOf, MARK_EVERY, placeOf, REACH } from './rules.ts';
import type { UserList, UserListRow } from './schemas.ts';
import type { Marks } from './state.ts';

type Row = z.input<typeof UserListRow>;
type Request = z.output<typeof UserList>;

export type ListDeps = {
  db: Db;
  currencies: Currencies;
  marks: Marks;
  /** Full statistics in US dollars of many users. */
  statsOf: (userIds: readonly number[]) => Promise<ReadonlyMap<number, NonNullable<Row['statsUsd']>>>;
};

const NOTES_EACH = 20;

/**
 * The list of users for staff: first the ids of the page, through the index of the order, then what is shown of them.
 * The total is exact up to 10,000 matches and without a filter; otherwise it is the planner's estimate, never below 10,001.
 */
export function createUserList(deps: ListDeps) {
  const { db } = deps;
  return async (by: StaffCall, request: Request): Promise<Page<Row>> => {
    assertMaySee(by, request);
    const sight = sightOf(by.user);
    const search = searchFor(request.search ?? '');
    const conditions = conditionsOf({ ...request, search, showsPii: sight.showsPii });
    const { ids, total } =
      conditions.length === 0 ? await whole(deps, request) : await matching(db, request, conditions);
    const users = await usersOf(db, ids);
    return paginated(await toRows(deps, users, { request, sight }), request, total);
  };
}

/** Throws 403 for what needs another permission: notes, sorting by masked addresses, who is staff with which rights. */
function assertMaySee(by: StaffCall, request: Request): void {
  const { withNotes, sortBy, withRoles, withPermissions, role, where } = request;
  const asksWhoIsStaff = withRoles || withPermissions || role !== undefined || where?.isStaff !== undefined;
  const needs = [
    ['note.read', withNotes],
    ['user.pii', sortBy === 'email'],
    ['staff.read', asksWhoIsStaff],
  ] as const;
  for (const [permission, isNeeded] of needs)
    if (isNeeded && !holds(by.user, permission)) throw commonErrors.FORBIDDEN({ permission });
}

type Found = { ids: number[]; total: number };

/**
 * Few matches are all read and sorted. For more, users are read in the order of the list until a page matches, which is soon unless
 * the filter and the order contradict each other.
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
  // Not counted at all where the planner expects far more than would be counted.
  const counted = estimate <= 2 * COUNTED ? await countMatches(db, conditions, COUNTED + 1) : undefined;
  const isExact = counted !== undefined && counted <= COUNTED;
  const total = isExact ? counted : Math.max(estimate, COUNTED + 1);
  if (offset >= total) return { ids: [], total };
  // The end of an estimated list is unknown: it is only read from its beginning.
  if (offset >= REACH) throw userAdminErrors.PAGE_TOO_DEEP({ reach: REACH });
  const ids = await pageOfMany(db, { ...wanted, offset }, isExact);
  return { ids, total: isExact || ids.length === take ? total : offset + ids.length };
}

async function pageOfMany(db: Db, wanted: PageRequest, isExact: boolean): Promise<number[]> {
  const { offset, take } = wanted;
  const { lookedAt } = effortOf(wanted.sortBy);
  const early = offset + take <= EARLY ? await pageOfFirst(db, { ...wanted, most: lookedAt }) : [];
  if (early.length === take) return early;
  return isExact ? pageOfSorted(db, wanted) : pageOfIds(db, wanted);
}

/** The whole list can be read from both ends, and in orders that never change also from every 5,000th user. */
async function whole({ db, marks }: ListDeps, request: Request): Promise<Found> {
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

async function toRows(
  { db, currencies, statsOf }: ListDeps,
  users: readonly UserRow[],
  { request, sight }: { request: Request; sight: Sight },
): Promise<Row[]> {
  const { withPermissions, withRoles, withNotes, withBalance, withStatsUsd } = request;
  const ids = users.map((user) => user.id);
  const [notes, balances, stats] = await Promise.all([
    withNotes ? latestNotes(db, ids, { each: NOTES_EACH, sight }) : undefined,
    withBalance ? balancesOfMany(db, ids) : undefined,
    withStatsUsd ? statsOf(ids) : undefined,
  ]);
  return users.map((user) => {
    const statsUsd = stats?.get(user.id);
    return {
      ...toUserDto(user, sight),
      permissions: withPermissions ? user.permissions : [],
      isBanned: user.banned_at !== null,
      banReason: user.ban_reason,
      ...(withRoles ? { roles: user.roles } : {}),
      ...(notes ? { notes: notes.get(user.id) ?? [] } : {}),
      ...(balances ? { balances: shownBalances(currencies, balances.get(user.id) ?? []) } : {}),
      ...(statsUsd ? { statsUsd } : {}),
    };
  });
}

const shownBalances = (currencies: Currencies, all: readonly Balances[]) =>
  all.map(({ currencyId, cash, updatedAt }) => ({
    currencyId,
    amount: formatUnits(cash),
    usdAmount: formatUnits(currencies.toUsd(currencyId, cash)),
    updatedAt: iso(updatedAt),
  }));
