import { errors } from '../../platform/errors.ts';

export const accessErrors = errors({
  PERMISSION_UNKNOWN: [400, 'No such permission; GET /admin/user/all-permissions lists them.'],
  ROLE_UNKNOWN: [400, 'No such role; GET /admin/user/get-all-roles-with-users lists them.'],
  PERMISSION_NOT_HELD: [403, 'Staff can grant or take away only what they hold themselves.'],
  SUPERADMIN_EXISTS: [
    409,
    'There is an active superadmin already: he appoints others with PUT /admin/user/add-single-role.',
  ],
  EMAIL_NOT_VERIFIED: [
    409,
    'An account with this e-mail address exists, and nobody has shown that it is his: follow the verification mail first, or name another address.',
  ],
  LAST_SUPERADMIN: [409, 'This is the last active superadmin; appoint another one first.'],
});
