import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { SHORT_USER_COLUMNS, sightOf, toShortPrivateUser } from '../../users/service.ts';
import { accessErrors } from '../errors.ts';
import { RolePath } from './editing.ts';
import { hasRole } from './stored.ts';
import { findRole, Role, RoleDetails, readAllRoles } from './view.ts';

/** The maximum number of users in a role's details. */
const MAX_USERS = 100;

const reading = { method: 'GET', tag: 'Admin User', access: { permission: 'staff.read' } } as const;

export const readRoles = operation({
  ...reading,
  path: '/admin/roles',
  summary: 'List roles, and how they differ from the shipped ones',
  response: z.array(Role),
  handler: ({ db }: { db: Db }, { by }) => readAllRoles(db, sightOf(by.user)),
});

export const readRole = operation({
  ...reading,
  path: '/admin/roles/{name}',
  summary: 'Get a role and the users who have it',
  params: RolePath,
  response: RoleDetails,
  errors: [accessErrors.ROLE_NOT_FOUND],
  handler: async ({ db }: { db: Db }, { by, params: { name } }) => {
    const sight = sightOf(by.user);
    const role = await findRole(db, name, sight);
    if (!role) throw accessErrors.ROLE_NOT_FOUND({ role: name });
    const users = await db
      .selectFrom('users')
      .select(SHORT_USER_COLUMNS)
      .where(hasRole(name))
      .orderBy('id')
      .limit(MAX_USERS)
      .execute();
    return { ...role, users: users.map((user) => toShortPrivateUser(user, sight)) };
  },
});
