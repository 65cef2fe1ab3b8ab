import { sql } from 'kysely';
import type { z } from 'zod';
import type { Upload } from '../../../http/route.ts';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import { violatedConstraint } from '../../../platform/database-errors.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import type { Files } from '../../../platform/files.ts';
import { toWebp } from '../../../platform/images.ts';
import { readTogether } from '../../../platform/shared-read.ts';
import { emitEvent } from '../events/service.ts';
import { userErrors } from './errors.ts';
import { assertNameMayBeTaken } from './names.ts';
import { skeletonOf } from './rules.ts';
import type { PublicUser, SelfExclude, UpdateUser } from './schemas.ts';
import { maskEmail, type UserRow, usersById } from './service.ts';

export type Users = ReturnType<typeof createUsers>;

const AVATAR_PIXELS = 256;

type Deps = {
  db: Db;
  config: Config;
  files: Files;
  /** The USD totals of a player. */
  balances: (userId: number) => Promise<{ usd: string; vaultUsd: string }>;
  /** The rights of an account that count now. */
  rightsOf: (user: UserRow) => { permissions: ReadonlySet<string> };
  /** The user's exclusion; isActive is false when there is none. */
  exclusionOf: (userId: number) => Promise<z.input<typeof SelfExclude>>;
};

/** A user's own profile. Avatars are stored as URLs of our own files; no URL that a user sends is ever stored as one, or fetched. */
export function createUsers({ db, config, files, balances, rightsOf, exclusionOf }: Deps) {
  const userOf = readTogether((ids: readonly number[]) => usersById(db, ids));
  const me = async (userId: number) => {
    const [user, totals] = await Promise.all([userOf(userId), balances(userId)]);
    if (!user) throw userErrors.USER_NOT_FOUND();
    // The player's own row says whether there is anything to look for.
    const exclusion = user.self_excluded_until ? await exclusionOf(userId) : undefined;
    const selfExclusion = exclusion?.isActive ? exclusion : null;
    return {
      ...toPublicUser(user, totals),
      permissions: [...rightsOf(user).permissions].sort(),
      selfExclusion,
    };
  };

  const storeAvatar = async ({ bytes }: Upload): Promise<string> => {
    const size = { width: AVATAR_PIXELS, height: AVATAR_PIXELS, maxPixels: config.UPLOAD_LIMIT_PIXELS };
    return files.urlOf(await files.put(await toWebp(bytes, size)));
  };

  return {
    me,

    /**
     * Changes the given fields, or the avatar to the uploaded image. Throws 400 NOTHING_TO_CHANGE, 400 AVATAR_NOT_UPLOADED for a URL of
     * an image, 400 IMAGE_INVALID, 409 AUTH_USER_EXISTS when the name, or one that looks like it, is taken or was recently given up by
     * somebody else, 409 USERNAME_RESERVED, 403 STAFF_NAME_FIXED.
     */
    async update(userId: number, changes: z.output<typeof UpdateUser>, image?: Upload) {
      if (!image && Object.keys(changes).length === 0) throw userErrors.NOTHING_TO_CHANGE();
      const given = image ? { ...changes, avatar: await storeAvatar(image) } : changes;
      const former = await transaction(db, async (tx) => {
        const { avatar, username, is_staff } = await lockProfile(tx, userId);
        if (given.username !== undefined && given.username.toLowerCase() !== username?.toLowerCase()) {
          if (is_staff && username !== null) throw userErrors.STAFF_NAME_FIXED();
          assertNameMayBeTaken(given.username, { brand: config.BRAND_NAME });
        }
        if (!image && typeof given.avatar === 'string' && given.avatar !== avatar)
          throw userErrors.AVATAR_NOT_UPLOADED();
        await change(tx, userId, given);
        return given.avatar === undefined || given.avatar === avatar ? null : avatar;
      }).catch(async (error: unknown) => {
        if (image && !(await mayShow(db, userId, given.avatar!))) await files.forget(given.avatar!);
        throw error;
      });
      await files.forget(former);
      return me(userId);
    },
  };
}

/** Whether a commit without an answer may have happened: then the file is not deleted. */
const mayShow = (db: Db, userId: number, avatar: string): Promise<boolean> =>
  db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('avatar', '=', avatar)
    .executeTakeFirst()
    .then(
      (row) => row !== undefined,
      () => true,
    );

/** Two concurrent uploads must each see the other's file as the former one. */
async function lockProfile(tx: Tx, userId: number) {
  const user = await tx
    .selectFrom('users')
    .select(['avatar', 'username', 'is_staff'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!user) throw userErrors.USER_NOT_FOUND();
  return user;
}

async function change(tx: Tx, userId: number, given: z.output<typeof UpdateUser>): Promise<void> {
  const { username } = given;
  const values = {
    avatar: given.avatar,
    language: given.language,
    is_private: given.isPrivate,
    is_streamer_mode: given.isStreamerMode,
    is_email_notifications_enabled: given.isEmailNotificationsEnabled,
    platform_trade_link: given.platformTradeLink,
    ...(username === undefined ? {} : { username, username_skeleton: skeletonOf(username) }),
    updated_at: sql<Date>`now()`,
  };
  try {
    await tx.updateTable('users').set(values).where('id', '=', userId).execute();
  } catch (error) {
    if (violatedConstraint(error)?.startsWith('users_')) throw userErrors.AUTH_USER_EXISTS();
    throw error;
  }
  if (username !== undefined || given.language !== undefined)
    await emitEvent(tx, { event: 'user.updated', userId, data: {} });
  if (given.isEmailNotificationsEnabled !== undefined)
    await emitEvent(tx, { event: 'user.consents', userId, data: {} });
}

type Balances = z.input<typeof PublicUser>['balances'];

function toPublicUser(user: UserRow, balances: Balances) {
  return {
    id: user.id,
    ...(user.username === null ? {} : { username: user.username }),
    country: user.country_code,
    email: user.email === null ? null : maskEmail(user.email),
    emailVerified: user.email_verified,
    avatar: user.avatar,
    language: user.language,
    vipLevel: user.vip_level,
    balances,
    kycLevel: user.kyc_level,
    mfaEnabled: user.is_mfa_enabled,
    isPrivate: user.is_private,
    isStreamer: user.is_streamer,
    isStreamerMode: user.is_streamer_mode,
    isEmailNotificationsEnabled: user.is_email_notifications_enabled,
    isStaff: user.is_staff,
    roles: user.roles,
    platformTradeLink: user.platform_trade_link,
    createdAt: iso(user.created_at),
  };
}
