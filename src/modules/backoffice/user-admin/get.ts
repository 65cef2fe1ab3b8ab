import { operation } from '../../../http/operation.ts';
import { userErrors } from '../../base/users/errors.ts';
import { UserDto } from '../../base/users/schemas.ts';
import { getUser } from '../../base/users/service.ts';
import type { UserAdminDeps } from './deps.ts';
import { UserPath } from './schemas.ts';
import { viewOf } from './view.ts';

export const getUserForStaff = operation({
  method: 'GET',
  path: '/admin/user/{id}',
  tag: 'Admin User',
  access: { permission: 'user.read' },
  summary: 'Get a user',
  description: '`permissions` is empty without the permission `staff.read`.',
  params: UserPath,
  response: UserDto,
  errors: [userErrors.USER_NOT_FOUND],
  handler: async ({ db }: UserAdminDeps, { by, params }) => viewOf(db, await getUser(db, params.id), by.user),
});
