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
  OWN_ROLE: [403, 'You have this role yourself. Ask a colleague to add permissions to it.'],
  TITLE_NEEDS_PERMISSIONS: [
    403,
    'Only staff who hold every permission of a role can change its title and description.',
  ],
  ROLE_FIXED: [403, 'Superadmins always have all permissions. Create another role instead.'],
  ROLE_NOT_FOUND: [404, 'Role not found. GET /admin/roles lists all roles.'],
  ROLE_EXISTS: [409, 'A role with this name already exists. Choose another name.'],
  ROLE_TITLE_TAKEN: [409, 'The role in `details` has this title or name. Choose another title.'],
  ROLE_CHANGED: [409, 'This role has changed since you read it. Read it again, and repeat your change.'],
  ROLE_IN_USE: [
    409,
    'Accounts still have this role; details.users is their number. Remove the role from them first.',
  ],
  ROLE_SHIPPED: [409, 'Only roles that staff created can be deleted. Remove its permissions instead.'],
  LAST_STAFF_MANAGER: [
    409,
    'This would leave no active account with the permission staff.write. Give it to another account first.',
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
