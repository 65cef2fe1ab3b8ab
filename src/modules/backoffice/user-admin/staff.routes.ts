import { type Route, route } from '../../../http/route.ts';
import { page } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { UserDto } from '../../base/users/schemas.ts';
import { userAdminErrors } from './errors.ts';
import {
  Avatar,
  BalanceTarget,
  MfaReset,
  UserBan,
  UserList,
  UserListQuery,
  UserListRow,
  UserPath,
  UserUpdate,
} from './schemas.ts';
import type { UserAdmin } from './service.ts';

const tag = 'Admin User';
const change = { tag, gate: 'none', params: UserPath, response: UserDto } as const;
const managing = [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT];

const list = {
  summary: 'Users, by filter and in order',
  description:
    'Without a filter `total` is exact. With one it is exact up to 10,000; beyond that it is an estimate, never below 10,001. ' +
    'The first 10,000 rows can be read in any order, without a filter the last 10,000 too; sorted by id or createdAt ' +
    'without a filter every page can be. Users without a username or e-mail address sort as an empty text, users who ' +
    'have never signed in before all who have. The search finds parts of usernames and (permission `user.pii`, else ' +
    'whole ones) of e-mail addresses, and ids; one without three letters or digits in a row the beginning of usernames. ' +
    '`withNotes` needs the permission `note.read`, sorting by email `user.pii`; `withRoles`, `withPermissions`, `role` and ' +
    '`isStaff` in the filter need `staff.read`.',
  errors: [userAdminErrors.PAGE_TOO_DEEP],
};

export const userAdminRoutes = (users: UserAdmin): Route[] => [
  route({
    method: 'POST',
    path: '/admin/user/all',
    tag,
    access: { permission: 'user.read' },
    gate: 'none',
    ...list,
    body: UserList,
    status: 200,
    response: page(UserListRow),
    handler: ({ by, body }) => users.list(by, body),
  }),
  route({
    method: 'GET',
    path: '/admin/user/{id}',
    tag,
    access: { permission: 'user.read' },
    summary: 'One user',
    description: 'Without the permission `staff.read` `permissions` is empty.',
    params: UserPath,
    response: UserDto,
    errors: [userErrors.USER_NOT_FOUND],
    handler: ({ by, params }) => users.get(by, params.id),
  }),
  route({
    ...change,
    method: 'PATCH',
    path: '/admin/user/{id}',
    access: { permission: 'user.write' },
    stepUp: 'conditional',
    summary: 'Edit a user',
    description:
      'isStaff, isTest and the username of staff are for superadmins only, who prove their second factor for them. null clears platformTradeLink or customMinAffiliateLevel.',
    body: UserUpdate,
    errors: [
      ...managing,
      userErrors.AUTH_USER_EXISTS,
      userErrors.STAFF_NAME_FIXED,
      userErrors.USERNAME_RESERVED,
      userErrors.NOTHING_TO_CHANGE,
      userAdminErrors.STAFF_HAS_RIGHTS,
      userErrors.BOT_ACCOUNT,
    ],
    handler: ({ by, params, body }) => users.update(by, params.id, body),
  }),
  route({
    ...change,
    method: 'PATCH',
    path: '/admin/user/{id}/ban',
    access: { permission: 'user.ban' },
    summary: 'Ban a user: sessions and API keys end, bets stop',
    body: UserBan,
    errors: [...managing, userAdminErrors.USER_ALREADY_BANNED],
    handler: ({ by, params, body }) => users.ban(by, params.id, body.banReason),
  }),
  route({
    ...change,
    method: 'PATCH',
    path: '/admin/user/{id}/unban',
    access: 'superadmin',
    stepUp: true,
    summary: 'Let a banned user in again; sessions and API keys stay ended',
    description: '`banReason` may say why; the audit records it.',
    body: UserBan,
    errors: [...managing, userAdminErrors.USER_NOT_BANNED],
    handler: ({ by, params, body }) => users.unban(by, params.id, body?.banReason),
  }),
  route({
    ...change,
    method: 'DELETE',
    path: '/admin/user/{id}/mfa',
    access: { permission: 'user.resetMfa' },
    stepUp: true,
    summary: 'Remove a second factor that its owner has lost; ends every session',
    description:
      'Also the recovery codes. A mail tells the owner; withdrawals are held for a while, as after a recovery code. Not of the own account; of staff by superadmins only.',
    body: MfaReset,
    errors: [...managing, userAdminErrors.USER_WITHOUT_MFA],
    handler: ({ by, params, body }) => users.resetMfa(by, params.id, body.reason),
  }),
  route({
    ...change,
    method: 'PATCH',
    path: '/admin/user/{id}/avatar/reset',
    access: { permission: 'user.write' },
    summary: "Remove a user's avatar",
    response: Avatar,
    errors: managing,
    handler: ({ by, params }) => users.resetAvatar(by, params.id),
  }),
  route({
    method: 'PUT',
    path: '/admin/user/{id}/balance',
    tag,
    access: 'superadmin',
    gate: 'staff',
    stepUp: true,
    idempotent: true,
    summary: "Set a user's cash in one currency",
    description:
      'Posted as an adjustment of the difference to what the player has at that moment. 1,000,000,000 of the currency at most. What is worth ' +
      'more than WITHDRAWALS.adjustmentApprovalUsd (with all that the caller has moved alone within 24 hours, or anybody alone for this player) needs ' +
      '`reason` and two people: the first call stores a proposal and answers 409 APPROVAL_NEEDED, the same call by another person within 24 ' +
      'hours carries it out, if the balance is still the one it was proposed against. The second person need not give a reason.',
    params: UserPath,
    body: BalanceTarget,
    errors: [
      ...managing,
      accessErrors.ACCOUNT_CONNECTED,
      userErrors.BOT_ACCOUNT,
      commonErrors.CURRENCY_NOT_FOUND,
      commonErrors.AMOUNT_OUT_OF_RANGE,
      userAdminErrors.REASON_REQUIRED,
      userAdminErrors.APPROVAL_NEEDED,
    ],
    handler: ({ by, params, body, idempotencyKey }) =>
      users.setBalance(by, params.id, { input: body, key: idempotencyKey }),
  }),
];

/** The same operations in the backoffice: the list is for superadmins, also with its filter in the query; unban takes no body. */
export const userAdminBackofficeRoutes = (users: UserAdmin): Route[] => [
  route({
    method: 'GET',
    path: '/user/all',
    tag: 'User',
    access: 'superadmin',
    ...list,
    query: UserListQuery,
    response: page(UserListRow),
    handler: ({ by, query }) => users.list(by, query),
  }),
  ...userAdminRoutes(users).map((r): Route => {
    const same = { ...r, path: r.path.replace('/admin', ''), tag: 'User' };
    if (r.method === 'POST') return { ...same, access: 'superadmin', status: 201 };
    if (!r.path.endsWith('/unban')) return same;
    const { body: _, ...bodyless } = same;
    return { ...bodyless, description: 'Takes no body.' };
  }),
];
