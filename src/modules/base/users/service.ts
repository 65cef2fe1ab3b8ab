import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { violatedConstraint } from '../../../platform/database/errors.ts';
import type { Users as UsersTable } from '../../../platform/database/tables.ts';
import { formatUnits } from '../../../platform/money.ts';
import { emitEvent } from '../events/service.ts';
import { skeletonOf } from './rules.ts';
import {
  type ShortPrivateUser,
  type ShortPublicUser,
  type UserDto,
  userErrors,
  userEvents,
} from './schemas.ts';

export type UserRow = Selectable<UsersTable>;

export type NewUser = {
  username: string;
  email: string | null;
  passwordHash: string | null;
  isEmailNotificationsEnabled?: boolean | undefined;
  affiliateCode?: string | undefined;
  language?: string | undefined;
  referrer?: string | undefined;
  country?: string | undefined;
  vipLevel?: number | undefined;
  kycLevel?: number | undefined;
  emailVerified?: boolean | undefined;
  isTest?: boolean;
  /** The user's email address at the identity provider with which they signed up, and their account at the game platform. */
  idpEmail?: string | null;
  platformId?: string | null;
};

/** Throws 409 AUTH_USER_EXISTS if the email or username is in use, in any letter case. */
export async function createUser(tx: Tx, user: NewUser): Promise<UserRow> {
  const values = {
    username: user.username,
    email: user.email,
    password_hash: user.passwordHash,
    is_email_notifications_enabled: user.isEmailNotificationsEnabled ?? true,
    affiliate_code: user.affiliateCode ?? null,
    language: user.language ?? null,
    referrer: user.referrer ?? null,
    country_code: user.country ?? null,
    vip_level: user.vipLevel ?? 0,
    kyc_level: user.kycLevel ?? 0,
    email_verified: user.emailVerified ?? false,
    is_test: user.isTest ?? false,
    idp_email: user.idpEmail ?? null,
    platform_id: user.platformId ?? null,
    username_skeleton: skeletonOf(user.username),
  };
  try {
    return await tx.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow();
  } catch (error) {
    if (violatedConstraint(error)?.startsWith('users_')) throw userErrors.AUTH_USER_EXISTS();
    throw error;
  }
}

/** Creates a function that finds a user by a column, ignoring letter case. */
const findUserBy = (column: 'email' | 'username') => (db: DbOrTx, text: string) =>
  db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(${sql.ref(column)})`, '=', text.toLowerCase())
    .executeTakeFirst();
export const findUserByEmail = findUserBy('email');
export const findUserByUsername = findUserBy('username');

/**
 * Returns the id of the user that a filter selects. Returns null if the user does not exist, and undefined if the filter contains no user.
 */
export async function findUserId(
  db: DbOrTx,
  { userId, username }: { userId?: number | undefined; username?: string | undefined },
): Promise<number | null | undefined> {
  if (username === undefined) return userId;
  const user = await findUserByUsername(db, username);
  return user && (userId === undefined || userId === user.id) ? user.id : null;
}

export async function getUser(db: DbOrTx, id: number): Promise<UserRow> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (!user) throw userErrors.USER_NOT_FOUND();
  return user;
}

/** Returns true if an account cannot sign in, because it is banned or a bot. */
export const isShut = ({ banned_at, is_bot }: Pick<UserRow, 'banned_at' | 'is_bot'>): boolean =>
  banned_at !== null || is_bot;

/** Throws 409 BOT_ACCOUNT. */
export function assertNoBot({ is_bot }: Pick<UserRow, 'is_bot'>): void {
  if (is_bot) throw userErrors.BOT_ACCOUNT();
}

/** Returns the existing users among these ids. */
export async function usersById(db: DbOrTx, ids: readonly number[]): Promise<Map<number, UserRow>> {
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', sql<number>`any(${ids}::int4[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** A user, identified by id or by name in any letter case. */
export type UserKey = { id: number } | { username: string };

/** Locks a user's row until the transaction ends. Throws 404 USER_NOT_FOUND. */
export async function lockUser(tx: Tx, key: UserKey): Promise<UserRow> {
  const isUser =
    'id' in key
      ? sql<boolean>`id = ${key.id}`
      : sql<boolean>`lower(username) = ${key.username.toLowerCase()}`;
  const user = await tx.selectFrom('users').selectAll().where(isUser).forUpdate().executeTakeFirst();
  if (!user) throw userErrors.USER_NOT_FOUND();
  return user;
}

/**
 * Sets a user's roles and permissions. Users with either become staff, and users who lose all of them stop being staff. Staff members who
 * had none before and get none remain staff. Every process drops its cache of the user.
 */
export async function setRights(
  tx: Tx,
  id: number,
  rights: { roles: string[]; permissions: string[] },
): Promise<UserRow> {
  const hasRights = rights.roles.length + rights.permissions.length > 0;
  const isStaff = hasRights || sql<boolean>`is_staff and roles = '{}' and permissions = '{}'`;
  const user = await tx
    .updateTable('users')
    .set({ ...rights, is_staff: isStaff, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await announceUserChange(tx, id);
  await emitEvent(tx, { event: userEvents['user.updated'], userId: id, data: {} });
  return user;
}

/** Makes every process drop its cache of this user's sessions at commit. */
export async function announceUserChange(tx: Tx, userId: number): Promise<void> {
  await sql`select pg_notify('access_changed', ${`user:${userId}`})`.execute(tx);
}

type Holder = { isSuperAdmin: boolean; permissions: ReadonlySet<string> };

export const holds = (actor: Holder, permission: string): boolean =>
  actor.isSuperAdmin || actor.permissions.has(permission);

/** True if a staff member sees email addresses in full (permission user.pii), false if they see them masked. */
export type Sight = { showsPii: boolean };

export const sightOf = (actor: Holder): Sight => ({ showsPii: holds(actor, 'user.pii') });

const shownEmail = (email: string | null, { showsPii }: Sight) =>
  email === null || showsPii ? email : maskEmail(email);

/** The columns that toShortPrivateUser needs. */
export const SHORT_USER_COLUMNS = [
  'users.id',
  'users.username',
  'users.email',
  'users.avatar',
  'users.vip_level',
] as const;

type ShortRow = Pick<UserRow, 'id' | 'username' | 'email' | 'avatar' | 'vip_level'>;

export function toShortPrivateUser(user: ShortRow, sight: Sight): z.input<typeof ShortPrivateUser> {
  return {
    id: user.id,
    username: user.username ?? '',
    email: shownEmail(user.email, sight),
    avatar: user.avatar,
    vipLevel: user.vip_level,
  };
}

/** Returns users as staff see them, by id. Ignores null and unknown ids. */
export async function shortUsers(
  db: DbOrTx,
  ids: readonly (number | null)[],
  sight: Sight,
): Promise<Map<number, z.input<typeof ShortPrivateUser>>> {
  const known = ids.filter((id) => id !== null);
  const rows = await db
    .selectFrom('users')
    .select(SHORT_USER_COLUMNS)
    .where('id', '=', sql<number>`any(${[...new Set(known)]}::int4[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, toShortPrivateUser(row, sight)]));
}

type PublicRow = Pick<
  UserRow,
  'id' | 'username' | 'avatar' | 'vip_level' | 'is_private' | 'is_streamer_mode'
>;

/** Returns true if a player's name is hidden from other players: the profile is private or in streamer mode. */
export const isHidden = (user: Pick<UserRow, 'is_private' | 'is_streamer_mode'>): boolean =>
  user.is_private || user.is_streamer_mode;

/**
 * Returns a player as other players see them in every list, feed and statistic. Hidden players appear as `Incognito` without an avatar, but
 * are shown unchanged to themselves. `viewerId` is undefined for anonymous requests and for responses that several users share.
 */
export function toShortPublicUser(
  user: PublicRow,
  viewerId: number | undefined,
): z.input<typeof ShortPublicUser> {
  if (isHidden(user) && user.id !== viewerId)
    return { id: null, username: 'Incognito', avatar: null, vipLevel: null, isPrivate: true };
  return {
    id: user.id,
    username: user.username ?? '',
    avatar: user.avatar,
    vipLevel: user.vip_level,
    isPrivate: user.is_private,
  };
}

/** Returns a user with all fields that staff see. `exp` comes from `vipProgressOf`. */
export function toUserDto(user: UserRow, sight: Sight, exp: string): z.input<typeof UserDto> {
  return {
    exp,
    permissions: user.permissions,
    id: user.id,
    createdAt: iso(user.created_at),
    updatedAt: iso(user.updated_at),
    username: user.username ?? '',
    isPrivate: user.is_private,
    email: shownEmail(user.email, sight) ?? '',
    emailVerified: user.email_verified,
    lastLoginAt: user.last_login_at && iso(user.last_login_at),
    avatar: user.avatar ?? '',
    mfaSecret: '',
    vipLevel: user.vip_level,
    platformId: user.platform_id ?? '',
    platformTradeLink: user.platform_trade_link ?? '',
    idpEmail: shownEmail(user.idp_email, sight) ?? '',
    isStreamer: user.is_streamer,
    isStreamerMode: user.is_streamer_mode,
    isStaff: user.is_staff,
    isYoutuber: user.is_youtuber,
  };
}

/** Masks an email address. The first two characters and the domain are kept, so that the owner recognizes the address. */
export function maskEmail(email: string): string {
  const [name = '', domain = ''] = email.split('@');
  return `${name.slice(0, Math.min(2, name.length - 1))}***@${domain}`;
}

/** Returns users' VIP progress, which is the wagered USD amount that counts towards VIP levels, as a decimal string. */
export async function vipProgressOf(db: DbOrTx, ids: readonly number[]): Promise<(id: number) => string> {
  const rows =
    ids.length === 0
      ? []
      : await db.selectFrom('vip_progress').selectAll().where('user_id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.user_id, formatUnits(BigInt(row.wagered_usd))]));
  return (id) => byId.get(id) ?? '0';
}
