import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { recordAudit, recordCommand } from '../audit/service.ts';
import { PERMISSIONS } from '../declared.ts';
import {
  assertNoBot,
  findUserByEmail,
  isShut,
  type NewUser,
  SHORT_USER_COLUMNS,
  type Sight,
  setRights,
  sightOf,
  toShortPrivateUser,
  toUserDto,
  type UserKey,
  type UserRow,
} from '../users/service.ts';
import { accessErrors } from './errors.ts';
import { assertMayGrant, assertRoles, isActivated, ROLES, SUPERADMIN } from './rules.ts';
import {
  FirstSuperAdmin,
  type NewStaff,
  type RoleWithUsers,
  type SingleRole,
  type StaffQuery,
  type UserWithRoles,
} from './schemas.ts';
import { freshActor, lockManaged, lockSuperAdmins } from './service.ts';

export type Access = ReturnType<typeof createAccess>;

type Deps = {
  db: Db;
  /** Opens an account that can play, as sign-up does. `isByHouse`: by a superadmin, who may give official names. */
  register: (tx: Tx, user: NewUser, isByHouse: boolean) => Promise<UserRow>;
  hashPassword: (
    password: string,
    person: { username: string; email?: string | undefined },
  ) => Promise<string>;
  /** Sends the link that verifies the address, if there is one. */
  sendVerification: (tx: Tx, user: UserRow) => Promise<void>;
};
type NewRights = Parameters<typeof setRights>[2];
type ChangeOfRole = z.output<typeof SingleRole>;

const NO_RIGHTS = { roles: [], permissions: [] };

/** At most this many members of staff are listed by role. */
const MOST_STAFF = 1000;

/** Who is staff and what staff may do. Every change takes the staff call, for the rules and for the audit. */
export const createAccess = (deps: Deps) => ({
  allPermissions: () => ({
    permissions: Object.entries(PERMISSIONS).map(([name, description]) => ({
      name,
      group: name.split('.')[0]!,
      description,
    })),
  }),
  rolesWithUsers: (sight: Sight) => rolesWithUsers(deps.db, sight),
  staff: (query: z.output<typeof StaffQuery>, sight: Sight) => listStaff(deps.db, query, sight),

  async setRoles(by: StaffCall, id: number, roles: readonly string[]) {
    assertRoles(roles);
    await changeRights(deps.db, by, { id }, ({ permissions }) => ({ roles: unique(roles), permissions }));
    return { success: true };
  },
  async setPermissions(by: StaffCall, id: number, permissions: readonly string[]) {
    await changeRights(deps.db, by, { id }, ({ roles }) => ({
      roles,
      permissions: unique(permissions),
    }));
    return { success: true };
  },
  addRole: (by: StaffCall, change: ChangeOfRole) =>
    changeRole(deps.db, by, change, (roles) => unique([...roles, change.role])),
  revokeRole: (by: StaffCall, change: ChangeOfRole) =>
    changeRole(deps.db, by, change, (roles) => roles.filter((role) => role !== change.role)),

  createStaff: (by: StaffCall, input: z.output<typeof NewStaff>) => createStaff(deps, by, input),
  appointFirst: async (input: Partial<z.input<typeof FirstSuperAdmin>>) =>
    appointFirst(deps, FirstSuperAdmin.parse(input)),
});

async function rolesWithUsers(db: Db, sight: Sight): Promise<z.input<typeof RoleWithUsers>[]> {
  const staff = await db
    .selectFrom('users')
    .select(SHORT_USER_COLUMNS)
    .select('roles')
    .where('is_staff', '=', true)
    .where('roles', '<>', sql<string[]>`'{}'`)
    .orderBy('id')
    .limit(MOST_STAFF)
    .execute();
  return Object.entries(ROLES).map(([role, permissions]) => ({
    role,
    permissions: [...permissions],
    users: staff.filter((u) => u.roles.includes(role)).map((u) => toShortPrivateUser(u, sight)),
  }));
}

async function listStaff(
  db: Db,
  query: z.output<typeof StaffQuery>,
  sight: Sight,
): Promise<Page<z.input<typeof UserWithRoles>>> {
  const staff = db.selectFrom('users').where('is_staff', '=', true);
  const { total } = await staff.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  return pageOf(query, total, async (offset) => {
    const rows = await staff.selectAll().orderBy('id').limit(query.take).offset(offset).execute();
    return rows.map((row) => ({ ...toUserDto(row, sight), roles: row.roles }));
  });
}

async function changeRights(
  db: Db,
  by: StaffCall,
  key: UserKey,
  next: (user: UserRow) => NewRights,
): Promise<UserRow> {
  return transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    const { user, actor } = await lockManaged(tx, by, key);
    const rights = next(user);
    assertMayGrant(actor, user, rights);
    assertNoBot(user);
    const changed = await setRights(tx, user.id, rights);
    await recordAudit(tx, by, { before: rightsIn(user), after: rightsIn(changed) });
    return changed;
  });
}

async function changeRole(
  db: Db,
  by: StaffCall,
  { username, role }: ChangeOfRole,
  next: (roles: string[]) => string[],
) {
  assertRoles([role]);
  const user = await changeRights(db, by, { username }, ({ roles, permissions }) => ({
    roles: next(roles),
    permissions,
  }));
  return toUserDto(user, sightOf(by.user));
}

/**
 * Opens an account for a member of staff. Its password is temporary: the account has no rights before its owner has verified the
 * address and set another. Throws as assertMayGrant does, 409 AUTH_USER_EXISTS, 400 VALIDATION_FAILED for a weak password.
 */
async function createStaff(deps: Deps, by: StaffCall, input: z.output<typeof NewStaff>) {
  const { username, password, email } = input;
  const rights = { roles: [], permissions: unique(input.permissions ?? []) };
  // Before the work of hashing; the same question under the lock decides.
  assertMayGrant(by.user, NO_RIGHTS, rights);
  const passwordHash = await deps.hashPassword(password, { username, email });
  return transaction(deps.db, async (tx) => {
    await lockSuperAdmins(tx);
    const actor = await freshActor(tx, by);
    assertMayGrant(actor, NO_RIGHTS, rights);
    const newUser = { username, email: email ?? null, passwordHash };
    const { id } = await deps.register(tx, newUser, actor.isSuperAdmin);
    await setRights(tx, id, rights);
    const user = await tx
      .updateTable('users')
      .set({ is_staff: true, opened_by: by.user.id, password_is_temporary: true })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await deps.sendVerification(tx, user);
    await recordAudit(tx, by, { after: { id, username, permissions: rights.permissions } });
    return toUserDto(user, sightOf(actor));
  });
}

/**
 * Makes the first superadmin: the user with this e-mail address, or a new one. Returns the password if it was generated here.
 * Throws 409 SUPERADMIN_EXISTS when there is an active superadmin, 409 ACCOUNT_UNFIT when the account with the address is not theirs.
 */
async function appointFirst({ db, register, hashPassword }: Deps, input: z.output<typeof FirstSuperAdmin>) {
  const { email, username } = input;
  const password = input.password ?? randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword(password, { username, email });
  return transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    if (await hasSuperAdmin(tx)) throw accessErrors.SUPERADMIN_EXISTS();
    const known = await findUserByEmail(tx, email);
    // Anybody can open an account with an address that is not theirs.
    const isFit =
      known &&
      isActivated(known) &&
      !isShut(known) &&
      known.username?.toLowerCase() === username.toLowerCase();
    if (known && !isFit) throw accessErrors.ACCOUNT_UNFIT({ email });
    const user = known ?? (await register(tx, { username, email, passwordHash, emailVerified: true }, true));
    const { roles, permissions } = user;
    await setRights(tx, user.id, { roles: unique([...roles, SUPERADMIN]), permissions });
    const change = { before: { roles }, after: { roles: [...roles, SUPERADMIN] } };
    await recordCommand(tx, { command: 'npm run superadmin', userId: user.id, change });
    const shown = { username: user.username ?? username, email };
    return { user: shown, password: known || input.password ? undefined : password };
  });
}

/** Whether any active account is a superadmin. */
async function hasSuperAdmin(tx: Tx): Promise<boolean> {
  const superAdmins = await tx
    .selectFrom('users')
    .select(['email_verified', 'has_unproven_credentials', 'password_is_temporary'])
    .where(sql<boolean>`roles @> array[${SUPERADMIN}]`)
    .where('banned_at', 'is', null)
    .execute();
  return superAdmins.some(isActivated);
}

/** What the audit stores of somebody's rights. */
const rightsIn = ({ roles, permissions, is_staff }: UserRow) => ({ roles, permissions, isStaff: is_staff });

const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();
