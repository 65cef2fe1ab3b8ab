import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { strictObject } from '../../../http/schemas.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { notifyOwner, removeFactor } from '../../accounts/auth/second-factor/changes.ts';
import { revokeSessions } from '../../accounts/auth/sessions/end.ts';
import { lockManaged, lockSuperAdmins } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { UserDto, userErrors } from '../../base/users/schemas.ts';
import { updateUser } from './queries.ts';
import { UserPath, userAdminErrors } from './schemas.ts';
import { type UserAdminDeps, viewOf } from './view.ts';

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

const MfaReset = strictObject('MfaResetDto', { reason: z.string().trim().min(1).max(500) });

export const resetMfa = operation({
  method: 'DELETE',
  path: '/admin/user/{id}/mfa',
  tag: 'Admin User',
  access: { permission: 'user.resetMfa' },
  gate: 'none',
  stepUp: true,
  summary: "Remove a user's lost second factor",
  description:
    'Also removes passkeys and recovery codes, ends every session, and emails the owner. New withdrawals are held for a while, as ' +
    'they are after a recovery code is used. Staff cannot reset their own account. Only superadmins may reset other staff.',
  params: UserPath,
  body: MfaReset,
  response: UserDto,
  errors: [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT, userAdminErrors.USER_WITHOUT_MFA],
  handler: ({ db, mail }: UserAdminDeps, { by, params: { id }, body: { reason } }) =>
    transaction(db, async (tx) => {
      await lockSuperAdmins(tx);
      // Locks the factor before the user's row, as all operations that prove or change a factor do. If an error is thrown below, the
      // removal is rolled back.
      const isRemoved = await removeFactor(tx, id);
      const { user, actor } = await lockManaged(tx, by, { id });
      // If staff could remove each other's factor, they could sign in with each other's accounts.
      if (user.is_staff && !actor.isSuperAdmin) throw commonErrors.FORBIDDEN();
      if (!isRemoved) throw userAdminErrors.USER_WITHOUT_MFA();
      const sessionsEnded = await revokeSessions(tx, id, 'MFA_RESET');
      await notifyOwner(mail, tx, user, { change: 'reset' });
      const after = { mfaEnabled: false, sessionsEnded };
      await recordAudit(tx, by, { before: { mfaEnabled: true }, after, reason });
      return viewOf(tx, user, by.user);
    }),
});
