import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import { assertAccess, type Permission, type StaffCall } from '../../../http/access.ts';
import { offsetOf, type Page, paginated } from '../../../http/schemas.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { recordAudit, recordCommand } from '../audit/service.ts';
import { PERMISSIONS } from '../declared.ts';
import { userErrors } from '../users/errors.ts';
import {
  findUserByEmail,
  type NewUser,
  type Sight,
  setRights,
  sightOf,
  toShortPrivateUser,
  toUserDto,
  type UserRow,
} from '../users/service.ts';
import { accessErrors } from './errors.ts';
import {
  type Actor,
  assertMayGrant,
  assertMayManage,
  assertRoles,
  effectiveRights,
  isActivated,
  ROLES,
  SUPERADMIN,
} from './rules.ts';
import {
  FirstSuperAdmin,
  type NewStaff,
  type RoleWithUsers,
  type SingleRole,
  type UserWithRoles,
} from './schemas.ts';

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
type NewRights = { roles: string[]; permissions: string[] };

const NO_RIGHTS = { roles: [], permissions: [] };

/** So many members of staff are listed by role. */
const MOST_STAFF = 1000;

/** Who is staff and what staff may do. Every change takes the call that asks for it, for the rules and for the audit. */
export function createAccess({ db, register, hashPassword, sendVerification }: Deps) {
  const change = (by: StaffCall, target: (tx: Tx) => Promise<UserRow>, next: (user: UserRow) => NewRights) =>
    transaction(db, async (tx) => {
      await lockSuperAdmins(tx);
      const user = await target(tx);
      const actor = await freshActor(tx, by);
      assertMayManage(actor, user);
      const rights = next(user);
      assertMayGrant(actor, user, rights);
      const changed = await setRights(tx, user.id, rights);
      await recordAudit(tx, by, { before: rightsIn(user), after: rightsIn(changed) });
      return changed;
    });

  return {
    allPermissions: () => ({
      permissions: Object.entries(PERMISSIONS).map(([name, description]) => ({
        name,
        group: name.split('.')[0]!,
        description,
      })),
    }),

    async rolesWithUsers(sight: Sight): Promise<z.input<typeof RoleWithUsers>[]> {
      const staff = await db
        .selectFrom('users')
        .select(['id', 'username', 'email', 'avatar', 'vip_level', 'roles'])
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
    },

    async staff(
      query: { page: number; take: number },
      sight: Sight,
    ): Promise<Page<z.input<typeof UserWithRoles>>> {
      const staff = db.selectFrom('users').where('is_staff', '=', true);
      const { total } = await staff.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
      const offset = offsetOf(query, total);
      if (offset === undefined) return paginated<z.input<typeof UserWithRoles>>([], query, total);
      const rows = await staff.selectAll().orderBy('id').limit(query.take).offset(offset).execute();
      return paginated(
        rows.map((row) => ({ ...toUserDto(row, sight), roles: row.roles })),
        query,
        total,
      );
    },

    async setRoles(by: StaffCall, id: number, roles: readonly string[]) {
      assertRoles(roles);
      await change(by, byId(id), ({ permissions }) => ({ roles: unique(roles), permissions }));
      return { success: true };
    },

    async setPermissions(by: StaffCall, id: number, permissions: readonly string[]) {
      await change(by, byId(id), ({ roles }) => ({ roles, permissions: unique(permissions) }));
      return { success: true };
    },

    async addRole(by: StaffCall, { username, role }: z.output<typeof SingleRole>) {
      assertRoles([role]);
      const user = await change(by, byName(username), ({ roles, permissions }) => ({
        roles: unique([...roles, role]),
        permissions,
      }));
      return toUserDto(user, sightOf(by.user));
    },

    async revokeRole(by: StaffCall, { username, role }: z.output<typeof SingleRole>) {
      assertRoles([role]);
      const user = await change(by, byName(username), ({ roles, permissions }) => ({
        roles: roles.filter((r) => r !== role),
        permissions,
      }));
      return toUserDto(user, sightOf(by.user));
    },

    /**
     * Makes the first superadmin: the user with this e-mail address, or a new one. Answers the password when it was made up here.
     * Throws when there is an active superadmin already, or when the names do not fit.
     */
    appointFirst: async (input: { email?: string; username?: string; password?: string | undefined }) =>
      appointFirst({ db, register, hashPassword }, FirstSuperAdmin.parse(input)),

    /**
     * Opens an account for a member of staff. Its password is temporary: the account has no rights before its owner has verified the
     * address and set another. Throws as assertMayGrant does, 409 AUTH_USER_EXISTS, 400 VALIDATION_FAILED for a weak password.
     */
    async createStaff(by: StaffCall, input: z.output<typeof NewStaff>) {
      const { username, password, email } = input;
      const rights = { roles: [], permissions: unique(input.permissions ?? []) };
      // Before the work of hashing; what counts is the same question under the lock.
      assertMayGrant(by.user, NO_RIGHTS, rights);
      const passwordHash = await hashPassword(password, { username, email });
      return transaction(db, async (tx) => {
        await lockSuperAdmins(tx);
        const actor = await freshActor(tx, by);
        assertMayGrant(actor, NO_RIGHTS, rights);
        const newUser = { username, email: email ?? null, passwordHash };
        const { id } = await register(tx, newUser, actor.isSuperAdmin);
        await setRights(tx, id, rights);
        const user = await tx
          .updateTable('users')
          .set({ is_staff: true, opened_by: by.user.id, password_is_temporary: true })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await sendVerification(tx, user);
        await recordAudit(tx, by, { after: { id, username, permissions: rights.permissions } });
        return toUserDto(user, sightOf(actor));
      });
    },
  };
}

async function appointFirst(
  { db, register, hashPassword }: Pick<Deps, 'db' | 'register' | 'hashPassword'>,
  input: z.output<typeof FirstSuperAdmin>,
) {
  const { email, username } = input;
  const password = input.password ?? randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword(password, { username, email });
  return transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    if (await findSuperAdmin(tx)) throw accessErrors.SUPERADMIN_EXISTS();
    const known = await findUserByEmail(tx, email);
    // Anybody can open an account with an address that is not theirs.
    const isFit =
      known &&
      isActivated(known) &&
      !known.banned_at &&
      known.username?.toLowerCase() === username.toLowerCase();
    if (known && !isFit) throw accessErrors.ACCOUNT_UNFIT({ email });
    const user = known ?? (await register(tx, { username, email, passwordHash, emailVerified: true }, true));
    await setRights(tx, user.id, {
      roles: unique([...user.roles, SUPERADMIN]),
      permissions: user.permissions,
    });
    const change = { before: { roles: user.roles }, after: { roles: [...user.roles, SUPERADMIN] } };
    await recordCommand(tx, { command: 'npm run superadmin', userId: user.id, change });
    const shown = { username: user.username ?? username, email };
    return { user: shown, password: known || input.password ? undefined : password };
  });
}

/**
 * Serialises changes of rights and bans. The acting superadmin (freshActor) remains one, so at least one is always left. Take this
 * lock before any other.
 */
export async function lockSuperAdmins(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('superadmins', 0))`.execute(tx);
}

/**
 * Who calls, with the rights that they have now: those of the guard may be older than the locks that the call has waited for, so
 * take them first. Throws 401 UNAUTHORIZED when they were banned or their session has ended, 403 FORBIDDEN when the right that
 * the route asks for is no longer theirs.
 */
export async function freshActor(tx: Tx, { user, permission }: StaffCall): Promise<Actor> {
  const row = await tx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.roles', 'users.permissions', 'users.is_staff as isStaff'])
    .select(['users.email_verified', 'users.has_unproven_credentials', 'users.password_is_temporary'])
    .where('sessions.id', '=', user.sessionId)
    .where('sessions.revoked_at', 'is', null)
    .where('users.id', '=', user.id)
    .where('users.banned_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw commonErrors.UNAUTHORIZED();
  const actor = { id: row.id, isStaff: row.isStaff, ...effectiveRights(row) };
  const access = permission === 'superadmin' ? permission : { permission: permission as Permission };
  assertAccess(access, { ...user, ...actor });
  return actor;
}

const findSuperAdmin = (tx: Tx) =>
  tx
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`roles @> array[${SUPERADMIN}]`)
    .where('banned_at', 'is', null)
    .where('email_verified', '=', true)
    .where('has_unproven_credentials', '=', false)
    .where('password_is_temporary', '=', false)
    .limit(1)
    .executeTakeFirst();

/** What the audit keeps of somebody's rights. */
const rightsIn = ({ roles, permissions, is_staff }: UserRow) => ({ roles, permissions, isStaff: is_staff });
const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();

const found = (user: UserRow | undefined): UserRow => {
  if (!user) throw userErrors.USER_NOT_FOUND();
  return user;
};

const byId = (id: number) => async (tx: Tx) =>
  found(await tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst());

const byName = (username: string) => async (tx: Tx) =>
  found(
    await tx
      .selectFrom('users')
      .selectAll()
      .where(sql`lower(username)`, '=', username.toLowerCase())
      .forUpdate()
      .executeTakeFirst(),
  );
