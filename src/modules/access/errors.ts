import { errors } from '../../platform/errors.ts';

export const accessErrors = errors({
  PERMISSION_UNKNOWN: [400, 'No such permission; GET /admin/user/all-permissions lists them.'],
  ROLE_UNKNOWN: [400, 'No such role; GET /admin/user/get-all-roles-with-users lists them.'],
  PERMISSION_NOT_HELD: [403, 'Staff can grant or take away only what they hold themselves.'],
  ACCOUNT_CONNECTED: [
    403,
    'One of the two accounts opened the other: a colleague who has nothing to do with either decides about this.',
  ],
  SUPERADMIN_EXISTS: [
    409,
    'There is an active superadmin already: he appoints others with PUT /admin/user/add-single-role.',
  ],
  ACCOUNT_UNFIT: [
    409,
    'There is an account with this e-mail address, but it is banned, has another username, or nobody has followed its verification mail yet: name another address, or verify it first.',
  ],
});
