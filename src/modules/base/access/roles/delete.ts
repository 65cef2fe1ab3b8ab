import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { SuccessResponse, strictObject } from '../../../../http/schemas.ts';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import { recordAudit } from '../../audit/service.ts';
import { accessErrors } from '../errors.ts';
import { assertVersion, editing, getRole, lockRoles, Reason, RolePath } from './editing.ts';
import { assertMayChangeRole, findShipped } from './rules.ts';
import { userCounts } from './view.ts';

const RoleRemoval = strictObject('RoleRemovalDto', { version: z.int32().min(0), reason: Reason });

export const deleteRole = operation({
  ...editing,
  method: 'DELETE',
  path: '/admin/roles/{name}',
  summary: 'Delete a role that staff created',
  description:
    'Shipped roles cannot be deleted, and neither can roles that a user still has. Staff can delete only roles whose permissions they ' +
    'have themselves.',
  params: RolePath,
  body: RoleRemoval,
  response: SuccessResponse,
  errors: [
    accessErrors.ROLE_NOT_FOUND,
    accessErrors.ROLE_SHIPPED,
    accessErrors.ROLE_CHANGED,
    accessErrors.ROLE_IN_USE,
    accessErrors.PERMISSION_NOT_HELD,
  ],
  handler: ({ db }: { db: Db }, { by, params: { name }, body: { version, reason } }) =>
    transaction(db, async (tx) => {
      const actor = await lockRoles(tx, by);
      const { content, row } = await getRole(tx, name);
      if (findShipped(name)) throw accessErrors.ROLE_SHIPPED({ role: name });
      assertVersion(row, version);
      const users = (await userCounts(tx, [name])).get(name) ?? 0;
      if (users > 0) throw accessErrors.ROLE_IN_USE({ role: name, users });
      assertMayChangeRole(actor, name, { before: content.permissions, after: [] });
      await tx.deleteFrom('roles').where('name', '=', name).execute();
      await recordAudit(tx, by, { before: { name, ...content }, reason });
      return { success: true };
    }),
});
