import { defineModule } from '../../../http/module.ts';
import type { Operation } from '../../../http/operation.ts';
import { listPermissions, listRoles, listStaff } from './list.ts';
import { changeRole } from './roles/change.ts';
import { copyRole, createRole } from './roles/create.ts';
import { deleteRole } from './roles/delete.ts';
import { readRole, readRoles } from './roles/read.ts';
import { createAccess } from './service.ts';
import { type AccessDeps, addRole, createStaff, revokeRole, setPermissions, setRoles } from './staff.ts';

const operations: readonly Operation<AccessDeps>[] = [
  listPermissions,
  listStaff,
  listRoles,
  addRole,
  revokeRole,
  createStaff,
  setRoles,
];

export const access = defineModule({
  name: 'access',
  create: (before: Parameters<typeof createAccess>[0]) => ({ access: createAccess(before) }),
  operations: [
    ...operations,
    setPermissions,
    readRoles,
    readRole,
    createRole,
    copyRole,
    changeRole,
    deleteRole,
  ],
  backoffice: {
    // In the backoffice, all of these operations except setPermissions are reserved for superadmins.
    operations: [...operations.map((one) => ({ ...one, access: 'superadmin' as const })), setPermissions],
    without: '/admin',
    tag: 'User',
  },
});
