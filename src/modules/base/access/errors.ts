import { errors } from '../../../platform/errors.ts';

export const accessErrors = errors({
  PERMISSION_UNKNOWN: [400, 'No such permission; GET /admin/user/all-permissions lists them.'],
  ROLE_UNKNOWN: [400, 'No such role; GET /admin/user/get-all-roles-with-users lists them.'],
  PERMISSION_NOT_HELD: [403, 'Staff can grant or take away only what they hold themselves.'],
  GRANT_NEEDS_SUPERADMIN: [
    403,
    'Rights to approve or pay (*.approve, *.pay; see details) are granted by superadmins only: leave them out, or ask a superadmin to grant them.',
  ],
  ACCOUNT_CONNECTED: [
    403,
    'One of the two accounts opened the other: a colleague who has nothing to do with either decides about this.',
  ],
  SUPERADMIN_EXISTS: [
    409,
    'There is an active superadmin already, who appoints others with PUT /admin/user/add-single-role.',
  ],
  ACCOUNT_UNFIT: [
    409,
    'There is an account with this e-mail address, but it is banned, has another username, a temporary password, or nobody has followed its verification mail yet: name another address, or reset its password by mail first.',
  ],
});
