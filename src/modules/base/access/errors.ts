import { errors } from '../../../platform/errors.ts';

export const accessErrors = errors({
  PERMISSION_UNKNOWN: [
    400,
    'This permission does not exist; GET /admin/user/all-permissions lists all of them.',
  ],
  ROLE_UNKNOWN: [
    400,
    'This role does not exist; GET /admin/user/get-all-roles-with-users lists all of them.',
  ],
  PERMISSION_NOT_HELD: [403, 'You can grant or remove only permissions that you hold yourself.'],
  GRANT_NEEDS_SUPERADMIN: [
    403,
    'Only superadmins can grant the permissions in `details`. Leave them out, or ask a superadmin.',
  ],
  ACCOUNT_CONNECTED: [
    403,
    'One of these two accounts created the other. Ask a colleague who is not connected to either account.',
  ],
  SUPERADMIN_EXISTS: [
    409,
    'An active superadmin already exists. Ask them to appoint others with PUT /admin/user/add-single-role.',
  ],
  ACCOUNT_UNFIT: [
    409,
    'This account is banned, unverified or temporary, or has a different username. Reset its password by email or use another email.',
  ],
});
