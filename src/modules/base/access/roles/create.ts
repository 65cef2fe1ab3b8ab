import { operation } from '../../../../http/operation.ts';
import { strictObject } from '../../../../http/schemas.ts';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import { accessErrors } from '../errors.ts';
import {
  editing,
  getRole,
  granting,
  insertRole,
  lockRoles,
  NewName,
  Permissions,
  Reason,
  RolePath,
} from './editing.ts';
import { Role } from './view.ts';

const NewRole = strictObject('NewRoleDto', { ...NewName, permissions: Permissions, reason: Reason });
const RoleCopy = strictObject('RoleCopyDto', { ...NewName, reason: Reason });

const creating = { ...editing, method: 'POST', response: Role } as const;

export const createRole = operation({
  ...creating,
  path: '/admin/roles',
  summary: 'Create a role',
  description:
    'Staff can use only permissions that they have themselves. Only superadmins can use permissions that release money ' +
    '(`*.approve`, `*.pay`, `*.rollback`), and only superadmins assign roles to users. The name never changes.',
  body: NewRole,
  errors: [accessErrors.ROLE_EXISTS, accessErrors.ROLE_TITLE_TAKEN, ...granting],
  handler: ({ db }: { db: Db }, { by, body: { name, reason, ...content } }) =>
    transaction(db, async (tx) => {
      const actor = await lockRoles(tx, by);
      return insertRole(tx, { by, actor }, { name, content, reason });
    }),
});

export const copyRole = operation({
  ...creating,
  path: '/admin/roles/{name}/copy',
  summary: 'Copy a role',
  description: 'Creates a role with the same permissions. The rules for creating a role apply.',
  params: RolePath,
  body: RoleCopy,
  errors: [accessErrors.ROLE_NOT_FOUND, accessErrors.ROLE_EXISTS, accessErrors.ROLE_TITLE_TAKEN, ...granting],
  handler: ({ db }: { db: Db }, { by, params, body: { name, reason, ...titles } }) =>
    transaction(db, async (tx) => {
      const actor = await lockRoles(tx, by);
      const { permissions } = (await getRole(tx, params.name)).content;
      return insertRole(tx, { by, actor }, { name, content: { ...titles, permissions }, reason });
    }),
});
