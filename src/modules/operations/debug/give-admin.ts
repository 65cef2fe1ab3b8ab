import { z } from 'zod';
import type { SessionUser, StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { transaction } from '../../../platform/database/db.ts';
import { SUPERADMIN } from '../../base/access/rules.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { UserDto } from '../../base/users/schemas.ts';
import { getUser, setRights } from '../../base/users/service.ts';
import type { DebugDeps } from './deps.ts';
import { debugErrors } from './errors.ts';
import { assertToken } from './token.ts';
import { toTestUser } from './view.ts';

export const giveAdmin = operation({
  method: 'GET',
  path: '/debug/me/give-admin',
  tag: 'Debug',
  access: 'auth',
  hasSideEffect: true,
  summary: 'Become SuperAdmin',
  description: "Makes the caller's account a test account. The audit log records it.",
  query: z.strictObject({ debug_token: z.string().max(200) }),
  response: UserDto,
  errors: [debugErrors.DEBUG_TOKEN_WRONG],
  handler: ({ db, config }: DebugDeps, { user: caller, query, ip, requestId }) => {
    assertToken(config, query.debug_token);
    return transaction(db, async (tx) => {
      const { roles, permissions } = await getUser(tx, caller.id);
      await tx
        .updateTable('users')
        .set({ is_test: true, email_verified: true, password_is_temporary: false })
        .where('id', '=', caller.id)
        .execute();
      const user = await setRights(tx, caller.id, { roles: [SUPERADMIN], permissions: [] });
      const after = { roles: user.roles, permissions: user.permissions, isTest: true };
      await recordAudit(tx, callOf({ user: caller, ip, requestId }), {
        before: { roles, permissions },
        after,
      });
      return toTestUser(tx, user);
    });
  },
});

/** The audited call. The HTTP kit audits only staff operations, and this one is for all users. */
const callOf = (caller: { user: SessionUser; ip: string; requestId: string }): StaffCall => ({
  ...caller,
  service: 'api',
  method: 'GET',
  path: '/debug/me/give-admin',
  permission: 'debug',
  body: undefined,
  status: 200,
  isRecorded: false,
});
