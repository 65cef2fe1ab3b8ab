import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { strictObject } from '../../../../http/schemas.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { recordAudit } from '../../audit/service.ts';
import { sightOf } from '../../users/service.ts';
import { accessErrors } from '../errors.ts';
import { keepStaffManaged } from '../staff-managers.ts';
import {
  assertTitleIsFree,
  assertVersion,
  editing,
  getRole,
  granting,
  lockRoles,
  Permissions,
  Reason,
  RolePath,
  Titles,
} from './editing.ts';
import { assertMayChangeRole, assertMayRename, findShipped, lacking } from './rules.ts';
import { announceRoleChange } from './stored.ts';
import { findRole, Role, type RoleContent } from './view.ts';

const RoleChange = strictObject('RoleChangeDto', {
  ...Titles,
  permissions: Permissions.nullable().meta({
    description: 'Null, for shipped roles only: the role follows the shipped permissions again.',
  }),
  version: z.int32().min(0).meta({ description: 'The version of the role that the change is based on.' }),
  reason: Reason,
});

type Stored = Omit<RoleContent, 'permissions'> & { permissions: string[] | null };

export const changeRole = operation({
  ...editing,
  method: 'PUT',
  path: '/admin/roles/{name}',
  summary: 'Change a role',
  description:
    'The change takes effect immediately for all users who have the role. Staff can add and remove only permissions that they have ' +
    'themselves, and can add none to a role that they have. Only superadmins can add permissions that release money (`*.approve`, ' +
    '`*.pay`, `*.rollback`). Only staff who hold every permission of a role can change its title and description, and no two roles ' +
    'have the same title.',
  params: RolePath,
  body: RoleChange,
  response: Role,
  errors: [
    accessErrors.ROLE_NOT_FOUND,
    accessErrors.ROLE_CHANGED,
    accessErrors.ROLE_FIXED,
    accessErrors.ROLE_TITLE_TAKEN,
    accessErrors.TITLE_NEEDS_PERMISSIONS,
    accessErrors.LAST_STAFF_MANAGER,
    ...granting,
  ],
  handler: ({ db }: { db: Db }, { by, params: { name }, body: { version, reason, ...given } }) =>
    transaction(db, async (tx) => {
      const actor = await lockRoles(tx, by);
      const { content: before, row } = await getRole(tx, name);
      assertVersion(row, version);
      const after = { ...given, permissions: given.permissions ?? shippedPermissionsOf(name) };
      const change = { before: before.permissions, after: after.permissions };
      assertMayChangeRole(actor, name, change);
      const isRenamed = after.title !== before.title;
      if (isRenamed || after.description !== before.description) assertMayRename(actor, before.permissions);
      if (isRenamed) await assertTitleIsFree(tx, name, after.title);
      const write = () => store(tx, name, { ...given, updatedBy: actor.id });
      const removed = lacking(change.after, change.before);
      await (removed.includes('staff.write') ? keepStaffManaged(tx, write) : write());
      await announceRoleChange(tx, name);
      const role = await findRole(tx, name, sightOf(actor));
      await recordAudit(tx, by, { before: { name, ...before }, after: { name, ...after }, reason });
      return role!;
    }),
});

/** Throws 400 VALIDATION_FAILED for a role that staff created. */
function shippedPermissionsOf(name: string): string[] {
  const shipped = findShipped(name);
  if (!shipped) throw invalidField('permissions', 'can be null only for shipped roles');
  return [...shipped.permissions].sort();
}

/** Stores a role. A title or description that equals the shipped one is not stored, so that it follows later versions. */
async function store(
  tx: Tx,
  name: string,
  { title, description, permissions, updatedBy }: Stored & { updatedBy: number },
): Promise<void> {
  const shipped = findShipped(name);
  const values = {
    title: title === shipped?.title ? null : title,
    description: description === shipped?.description ? null : description,
    permissions,
    updated_by: updatedBy,
    updated_at: sql<Date>`now()`,
  };
  await tx
    .insertInto('roles')
    .values({ name, ...values })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ ...values, version: sql<number>`roles.version + 1` }),
    )
    .execute();
}
