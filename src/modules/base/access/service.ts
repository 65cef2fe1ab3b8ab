import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { assertAccess, type Permission, type StaffCall } from '../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { recordCommand } from '../audit/service.ts';
import { Email, Password, Username } from '../users/schemas.ts';
import {
  findUserByEmail,
  isShut,
  lockUser,
  type NewUser,
  setRights,
  type UserKey,
  type UserRow,
} from '../users/service.ts';
import { accessErrors } from './errors.ts';
import { type Rights, SUPERADMIN } from './roles/rules.ts';
import { storedRoles } from './roles/stored.ts';
import { type Actor, assertMayManage, effectiveRights, isActivated } from './rules.ts';

export type Access = ReturnType<typeof createAccess>;

/** Functions that create accounts. They come from areas that are created after this one. */
type Accounts = {
  /**
   * Opens an account that can play, as a sign-up does. `isByHouse`: true if a superadmin opens the account, because superadmins may assign
   * official names.
   */
  register: (tx: Tx, user: NewUser, isByHouse: boolean) => Promise<UserRow>;
  hashPassword: (
    password: string,
    person: { username: string; email?: string | undefined },
  ) => Promise<string>;
  /** Sends the verification link, if the user has an email address. */
  sendVerification: (tx: Tx, user: UserRow) => Promise<void>;
};

/** The input of the command that creates the first superadmin. */
const FirstSuperAdmin = z.strictObject({
  username: Username,
  email: Email,
  password: Password.optional(),
});

export const createAccess = ({ db, register, hashPassword, sendVerification }: Accounts & { db: Db }) => ({
  register,
  hashPassword,
  sendVerification,
  appointFirst: async (input: Partial<z.input<typeof FirstSuperAdmin>>) =>
    appointFirst({ db, register, hashPassword }, FirstSuperAdmin.parse(input)),
});

/**
 * Makes the user with this email address the first superadmin. Creates the user if there is none with this address. Returns the password if
 * it was generated. Throws 409 SUPERADMIN_EXISTS if there is an active superadmin, and 409 ACCOUNT_UNFIT if the account may belong to
 * someone else.
 */
async function appointFirst(
  { db, register, hashPassword }: Omit<Accounts, 'sendVerification'> & { db: Db },
  input: z.output<typeof FirstSuperAdmin>,
) {
  const { email, username } = input;
  const password = input.password ?? randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword(password, { username, email });
  return transaction(db, async (tx) => {
    await lockSuperAdmins(tx);
    if (await hasSuperAdmin(tx)) throw accessErrors.SUPERADMIN_EXISTS();
    const existing = await findUserByEmail(tx, email);
    // An existing account may not belong to the owner of the address, because anyone can sign up with any address.
    const isFit =
      existing &&
      isActivated(existing) &&
      !isShut(existing) &&
      existing.username?.toLowerCase() === username.toLowerCase();
    if (existing && !isFit) throw accessErrors.ACCOUNT_UNFIT({ email });
    const user =
      existing ?? (await register(tx, { username, email, passwordHash, emailVerified: true }, true));
    const { roles, permissions } = user;
    await setRights(tx, user.id, { roles: unique([...roles, SUPERADMIN]), permissions });
    const change = { before: { roles }, after: { roles: [...roles, SUPERADMIN] } };
    await recordCommand(tx, { command: 'croupier superadmin', userId: user.id, change });
    const isGenerated = !existing && !input.password;
    return {
      user: { username: user.username ?? username, email },
      password: isGenerated ? password : undefined,
    };
  });
}

/** Returns true if an active account is a superadmin. */
async function hasSuperAdmin(tx: Tx): Promise<boolean> {
  const superAdmins = await tx
    .selectFrom('users')
    .select(['email_verified', 'has_unproven_credentials', 'password_is_temporary'])
    .where(sql<boolean>`roles @> array[${SUPERADMIN}]`)
    .where('banned_at', 'is', null)
    .execute();
  return superAdmins.some(isActivated);
}

/**
 * Serializes bans and changes of permissions and roles. At least one superadmin always remains, because the superadmin who makes the change
 * (freshActor) remains a superadmin. Take this lock before any other.
 */
export async function lockSuperAdmins(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('superadmins', 0))`.execute(tx);
}

/**
 * Returns the caller with their current permissions. Take all locks before calling this, because the permissions may have changed while the
 * call waited for locks. Throws 401 UNAUTHORIZED if the caller was banned or their session has ended, and 403 FORBIDDEN if they have lost
 * the permission that the route needs.
 */
export async function freshActor(tx: Tx, by: StaffCall): Promise<Actor & Pick<Rights, 'roles'>> {
  const { user, permission } = by;
  // Every staff change calls this function, so every transaction that can pay on behalf of staff is recorded here.
  staffCalls.set(tx, by);
  const row = await tx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.roles', 'users.permissions', 'users.is_staff as isStaff', storedRoles])
    .select(['users.email_verified', 'users.has_unproven_credentials', 'users.password_is_temporary'])
    .where('sessions.id', '=', user.sessionId)
    .where('sessions.revoked_at', 'is', null)
    .where('users.id', '=', user.id)
    .where('users.banned_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw commonErrors.UNAUTHORIZED();
  const actor = { id: row.id, roles: row.roles, isStaff: row.isStaff, ...effectiveRights(row) };
  const access =
    permission === 'superadmin' || permission === 'staff'
      ? permission
      : { permission: permission as Permission };
  assertAccess(access, { ...user, ...actor });
  return actor;
}

/**
 * Locks a user whom the caller wants to change. Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT, 403 FORBIDDEN if the user is a superadmin and
 * the caller is not, and the errors of freshActor.
 */
export async function lockManaged(
  tx: Tx,
  by: StaffCall,
  key: UserKey,
): Promise<{ user: UserRow; actor: Actor }> {
  const user = await lockUser(tx, key);
  const actor = await freshActor(tx, by);
  assertMayManage(actor, user);
  return { user, actor };
}

export const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** For each transaction in which staff change something, the staff call. */
const staffCalls = new WeakMap<Tx, StaffCall>();
/** Transactions in which the staff-value policy has allowed a payment. */
const allowed = new WeakSet<Tx>();

/** Called only by the staff-value policy. */
export function allowValue(tx: Tx, by: StaffCall): void {
  if (!by.createsValue || by.createsValue === 'returns')
    throw new Error(`${by.method} ${by.path} creates value without declaring it: set createsValue`);
  allowed.add(tx);
}

/**
 * Throws if staff pay players without the policy's approval. In that case, either the route does not declare `createsValue`, or its handler
 * does not call `assertValue`. A route that declares `returns` is exempt, because it only returns a player's own money.
 */
export function assertValueAllowed(tx: Tx): void {
  const by = staffCalls.get(tx);
  if (!by || by.createsValue === 'returns' || allowed.has(tx)) return;
  throw new Error(`${by.method} ${by.path} pays a player without asking the policy of staff-value`);
}
