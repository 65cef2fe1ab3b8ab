import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { lockManaged } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import type { UserAdminDeps } from './deps.ts';
import { updateUser } from './queries.ts';
import { UserPath } from './schemas.ts';

export const resetAvatar = operation({
  method: 'PATCH',
  path: '/admin/user/{id}/avatar/reset',
  tag: 'Admin User',
  access: { permission: 'user.write' },
  gate: 'none',
  summary: "Remove a user's avatar",
  params: UserPath,
  response: z.string().meta({ description: 'The URL of the new avatar, which is always empty.' }),
  errors: [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT],
  handler: async ({ db, files }: UserAdminDeps, { by, params: { id } }) => {
    const removed = await transaction(db, async (tx) => {
      const { user } = await lockManaged(tx, by, { id });
      await updateUser(tx, id, { avatar: null });
      await recordAudit(tx, by, { before: { avatar: user.avatar }, after: { avatar: null } });
      return user.avatar;
    });
    await files.forget(removed);
    return '';
  },
});
