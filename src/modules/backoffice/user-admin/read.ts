import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import {
  type EstimatedPage,
  estimated,
  estimatedPage,
  jsonText,
  object,
  PageNumber,
  SortOrder,
  take,
  text,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits } from '../../../platform/money.ts';
import { searchFor } from '../../base/users/rules.ts';
import { UserDto, UserNote, userErrors } from '../../base/users/schemas.ts';
import {
  getUser,
  holds,
  type Sight,
  sightOf,
  toUserDto,
  type UserRow,
  vipProgressOf,
} from '../../base/users/service.ts';
import { adminStatsOf, UserAdminStats } from '../../engagement/user-stats/totals.ts';
import { type Balances, balancesOfMany } from '../../money/ledger/balances.ts';
import { Balance } from '../../money/wallet/service.ts';
import { latestNotes, tagsOfMany } from '../user-notes/service.ts';
import { findUsers } from './find.ts';
import { conditionsOf, usersOf } from './queries.ts';
import { SORTS, UserFilter, UserPath, userAdminErrors } from './schemas.ts';
import { type UserAdminDeps, viewOf } from './view.ts';

export const getUserForStaff = operation({
  method: 'GET',
  path: '/admin/user/{id}',
  tag: 'Admin User',
  access: { permission: 'user.read' },
  summary: 'Get a user',
  description: '`permissions` is empty if the caller lacks the permission `staff.read`.',
  params: UserPath,
  response: UserDto,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async ({ db }: UserAdminDeps, { by, params }) => viewOf(db, await getUser(db, params.id), by.user),
});

const fields = {
  sortBy: z.enum(SORTS),
  sortOrder: SortOrder,
  withPermissions: z.boolean(),
  withRoles: z.boolean(),
  withNotes: z.boolean(),
  withBalance: z.boolean(),
  withStatsUsd: z.boolean(),
  isBanned: z.boolean().optional(),
  role: text(64).optional(),
  search: text(64).meta({ description: 'Part of the username or email address, or the id.' }).optional(),
  page: PageNumber,
  take: take(100),
};

const UserList = z.strictObject({ ...fields, where: UserFilter.optional() });

/** In a query string, the filter is a JSON string. */
const UserListQuery = z.strictObject({
  ...fields,
  where: jsonText(UserFilter)
    .meta({ description: 'A UserFilterDto as a JSON string.', example: '{"kycLevel":1}' })
    .optional(),
});

const UserListRow = object('UserListRow', {
  ...UserDto.shape,
  isBanned: z.boolean(),
  banReason: z.string().nullable(),
  roles: z.array(z.string()).optional(),
  notes: z.array(UserNote).optional(),
  tags: z.array(z.string()).optional(),
  balances: z.array(Balance).optional(),
  statsUsd: UserAdminStats.optional(),
});

type Row = z.input<typeof UserListRow>;
type Request = z.output<typeof UserList>;

const shared = {
  tag: 'Admin User',
  summary: 'List users with filters and sorting',
  description:
    'Without a filter, `total` is exact. With a filter it is exact up to 10,000; beyond that it is an estimate of at least ' +
    '10,001. Only the first 10,000 rows can be read; without a filter, the last 10,000 can be read too. Without a filter, every ' +
    'page can be read when sorted by id or createdAt. A missing username or email address is sorted as an empty string. Users who ' +
    'have never signed in are sorted before all others. The search matches ids and parts of usernames and email addresses. ' +
    'Without the permission `user.pii`, only complete email addresses match. A search without three consecutive letters or digits ' +
    'matches only the start of usernames. `withNotes` adds notes and tags. It requires the permission `note.read`, like `tag` in ' +
    'the filter; sorting by email requires `user.pii`. `withRoles`, `withPermissions`, `role` and `isStaff` in the filter require `staff.read`.',
  response: estimatedPage(UserListRow),
  errors: [userAdminErrors.PAGE_TOO_DEEP],
};

const post = {
  ...shared,
  method: 'POST',
  path: '/admin/user/all',
  gate: 'none',
  body: UserList,
} as const;

export const listUsers = operation({
  ...post,
  access: { permission: 'user.read' },
  status: 200,
  handler: (deps: UserAdminDeps, { by, body }) => list(deps, by, body),
});

/** Only the backoffice serves this operation. */
export const listUsersInBackoffice = operation({
  ...post,
  access: 'superadmin',
  status: 201,
  handler: (deps: UserAdminDeps, { by, body }) => list(deps, by, body),
});

/** Only the backoffice serves this operation. */
export const listUsersByQuery = operation({
  ...shared,
  method: 'GET',
  path: '/admin/user/all',
  access: 'superadmin',
  query: UserListQuery,
  handler: (deps: UserAdminDeps, { by, query }) => list(deps, by, query),
});

const NOTES_PER_USER = 20;

async function list(deps: UserAdminDeps, by: StaffCall, request: Request): Promise<EstimatedPage<Row>> {
  assertMaySee(by, request);
  const sight = sightOf(by.user);
  const search = searchFor(request.search ?? '');
  const conditions = conditionsOf({ ...request, search, showsPii: sight.showsPii });
  const { rows: ids, ...found } = await findUsers(deps, request, conditions);
  const users = await usersOf(deps.reads, ids);
  return estimated(await toRows(deps, users, { request, sight }), request, found);
}

/**
 * Throws 403 if the caller requests data without the required permission: notes, sorting by masked addresses, or staff and their
 * permissions.
 */
function assertMaySee(by: StaffCall, request: Request): void {
  const { withNotes, sortBy, withRoles, withPermissions, role, where } = request;
  const showsStaff = withRoles || withPermissions || role !== undefined || where?.isStaff !== undefined;
  const needs = [
    ['note.read', withNotes || where?.tag !== undefined],
    ['user.pii', sortBy === 'email'],
    ['staff.read', showsStaff],
  ] as const;
  for (const [permission, isNeeded] of needs)
    if (isNeeded && !holds(by.user, permission)) throw commonErrors.FORBIDDEN({ permission });
}

async function toRows(
  { reads, currencies }: UserAdminDeps,
  users: readonly UserRow[],
  { request, sight }: { request: Request; sight: Sight },
): Promise<Row[]> {
  const { withPermissions, withRoles, withNotes, withBalance, withStatsUsd } = request;
  const ids = users.map((user) => user.id);
  const [expOf, notes, tags, balances, stats] = await Promise.all([
    vipProgressOf(reads, ids),
    withNotes ? latestNotes(reads, ids, { each: NOTES_PER_USER, sight }) : undefined,
    withNotes ? tagsOfMany(reads, ids) : undefined,
    withBalance ? balancesOfMany(reads, ids) : undefined,
    withStatsUsd ? adminStatsOf(reads, ids) : undefined,
  ]);
  return users.map((user) => {
    const statsUsd = stats?.get(user.id);
    return {
      ...toUserDto(user, sight, expOf(user.id)),
      permissions: withPermissions ? user.permissions : [],
      isBanned: user.banned_at !== null,
      banReason: user.ban_reason,
      ...(withRoles ? { roles: user.roles } : {}),
      ...(notes ? { notes: notes.get(user.id) ?? [] } : {}),
      ...(tags ? { tags: tags.get(user.id) ?? [] } : {}),
      ...(balances ? { balances: toBalances(currencies, balances.get(user.id) ?? []) } : {}),
      ...(statsUsd ? { statsUsd } : {}),
    };
  });
}

const toBalances = (currencies: UserAdminDeps['currencies'], all: readonly Balances[]) =>
  all.map(({ currencyId, cash, updatedAt }) => ({
    currencyId,
    amount: formatUnits(cash),
    usdAmount: formatUnits(currencies.toUsd(currencyId, cash)),
    updatedAt: iso(updatedAt),
  }));
