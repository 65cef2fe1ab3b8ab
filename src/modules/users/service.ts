import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../platform/clock.ts';
import type { Users as UsersTable } from '../../platform/database.ts';
import { type Db, type DbOrTx, type Tx, violatedConstraint } from '../../platform/db.ts';
import { userErrors } from './errors.ts';
import type { UserDto } from './schemas.ts';

export type UserRow = Selectable<UsersTable>;

export type NewUser = {
  username: string;
  email: string;
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
};

/** Throws 409 AUTH_USER_EXISTS when the email or the username is taken, whatever its case. */
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
  };
  try {
    return await tx.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow();
  } catch (error) {
    if (violatedConstraint(error)?.startsWith('users_')) throw userErrors.AUTH_USER_EXISTS();
    throw error;
  }
}

export async function findUserByEmail(db: DbOrTx, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst();
}

export async function findUserByUsername(db: DbOrTx, username: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst();
}

export async function getUser(db: DbOrTx, id: number): Promise<UserRow> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (!user) throw userErrors.USER_NOT_FOUND();
  return user;
}

/** Sets roles and permissions; staff is whoever has one of either. Tells every process. */
export async function setRights(
  tx: Tx,
  id: number,
  rights: { roles: string[]; permissions: string[] },
): Promise<UserRow> {
  const isStaff = rights.roles.length + rights.permissions.length > 0;
  const user = await tx
    .updateTable('users')
    .set({ ...rights, is_staff: isStaff, updated_at: new Date() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await announceUserChange(tx, id);
  return user;
}

/** Tells every process, at commit, that what it knows of this user's sessions is old. */
export async function announceUserChange(tx: Tx, userId: number): Promise<void> {
  await sql`select pg_notify('access_changed', ${`user:${userId}`})`.execute(tx);
}

/** The administrator's view of a user. */
export function toUserDto(user: UserRow): z.input<typeof UserDto> {
  return {
    exp: '0',
    permissions: user.permissions,
    id: user.id,
    createdAt: iso(user.created_at),
    updatedAt: iso(user.updated_at),
    username: user.username ?? '',
    isPrivate: user.is_private,
    email: user.email ?? '',
    emailVerified: user.email_verified,
    lastLoginAt: user.last_login_at ? iso(user.last_login_at) : '',
    avatar: user.avatar ?? '',
    mfaSecret: '',
    vipLevel: user.vip_level,
    platformId: user.platform_id ?? '',
    platformTradeLink: user.platform_trade_link ?? '',
    idpEmail: user.idp_email ?? '',
    isStreamer: user.is_streamer,
    isStreamerMode: user.is_streamer_mode,
    isStaff: user.is_staff,
    isYoutuber: user.is_youtuber,
  };
}

/** The first characters and the domain: enough for its owner to recognise. */
export function maskEmail(email: string): string {
  const [name = '', domain = ''] = email.split('@');
  return `${name.slice(0, Math.min(2, name.length - 1))}***@${domain}`;
}

export type Users = ReturnType<typeof createUsers>;

/** Reads of users for routes. `balances` answers the USD totals of a player. */
export function createUsers(
  db: Db,
  balances: (userId: number) => Promise<{ usd: string; vaultUsd: string }>,
) {
  return {
    async me(userId: number) {
      const user = await getUser(db, userId);
      return {
        id: user.id,
        ...(user.username === null ? {} : { username: user.username }),
        country: user.country_code,
        email: user.email === null ? null : maskEmail(user.email),
        emailVerified: user.email_verified,
        avatar: user.avatar,
        language: user.language,
        vipLevel: user.vip_level,
        balances: await balances(userId),
        kycLevel: user.kyc_level,
        mfaEnabled: false,
        isPrivate: user.is_private,
        isStreamer: user.is_streamer,
        isStreamerMode: user.is_streamer_mode,
        isEmailNotificationsEnabled: user.is_email_notifications_enabled,
        isStaff: user.is_staff,
        roles: user.roles,
        permissions: user.permissions,
        platformTradeLink: user.platform_trade_link,
        selfExclusion: null,
        createdAt: iso(user.created_at),
      };
    },
  };
}
