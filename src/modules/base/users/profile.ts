import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import type { Upload } from '../../../http/route.ts';
import { strictObject } from '../../../http/schemas.ts';
import type { Config } from '../../../platform/config/config.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { violatedConstraint } from '../../../platform/database/errors.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Files } from '../../../platform/files/files.ts';
import { toWebp } from '../../../platform/files/images.ts';
import { emitEvent } from '../events/service.ts';
import type { Users } from './me.ts';
import { assertNameMayBeTaken, assertNotOfStaff } from './names.ts';
import { skeletonOf } from './rules.ts';
import { HttpsLink, Language, PublicUser, Username, userErrors, userEvents } from './schemas.ts';

const UpdateUser = strictObject('UpdateUserDto', {
  username: Username.max(20).optional(),
  /** Null removes the avatar. Any other text must equal the current value. */
  avatar: z.string().max(500).nullable().optional(),
  language: Language.optional(),
  isPrivate: z.boolean().optional(),
  isStreamerMode: z.boolean().optional(),
  isEmailNotificationsEnabled: z.boolean().optional(),
  platformTradeLink: HttpsLink.nullable().optional(),
});
type UpdateUser = z.output<typeof UpdateUser>;

export type UserDeps = { db: Db; config: Config; files: Files; users: Users };

const AVATAR_PIXELS = 256;

const own = { path: '/user/me', tag: 'User', access: 'auth', response: PublicUser } as const;

export const getProfile = operation({
  ...own,
  method: 'GET',
  summary: 'Get your profile',
  description: 'Clients can also use it to check whether a session is valid.',
  handler: ({ users }: UserDeps, { user }) => users.me(user),
});

/** Stores avatars only as URLs of files that the platform serves. A URL that a user sends is never stored or fetched. */
export const updateProfile = operation({
  ...own,
  method: 'PATCH',
  gate: 'none',
  summary: 'Change your profile',
  description: 'Upload an avatar as multipart/form-data in the field `image`.',
  multipart: 'image',
  body: UpdateUser,
  errors: [
    userErrors.NOTHING_TO_CHANGE,
    userErrors.AVATAR_NOT_UPLOADED,
    userErrors.AUTH_USER_EXISTS,
    userErrors.STAFF_NAME_FIXED,
    userErrors.USERNAME_RESERVED,
    commonErrors.IMAGE_INVALID,
  ],
  handler: async (deps: UserDeps, { user, body, file: image }) => {
    const { db, files, users } = deps;
    const userId = user.id;
    if (!image && Object.keys(body).length === 0) throw userErrors.NOTHING_TO_CHANGE();
    const changes = image ? { ...body, avatar: await storeAvatar(deps, image) } : body;
    const former = await transaction(db, (tx) =>
      update(tx, deps, { userId, changes, isUploaded: !!image }),
    ).catch(async (error: unknown) => {
      if (image && !(await mayShow(db, userId, changes.avatar!))) await files.forget(changes.avatar!);
      throw error;
    });
    await files.forget(former);
    return users.me(user);
  },
});

async function storeAvatar({ config, files }: UserDeps, { bytes }: Upload): Promise<string> {
  const size = { width: AVATAR_PIXELS, height: AVATAR_PIXELS, maxPixels: config.UPLOAD_LIMIT_PIXELS };
  return files.urlOf(await files.put(await toWebp(bytes, size)));
}

/** Returns the previous avatar if the change replaces it, otherwise null. */
async function update(
  tx: Tx,
  { config }: UserDeps,
  { userId, changes, isUploaded }: { userId: number; changes: UpdateUser; isUploaded: boolean },
): Promise<string | null> {
  const { avatar, username, is_staff } = await lockProfile(tx, userId);
  if (changes.username !== undefined && changes.username.toLowerCase() !== username?.toLowerCase()) {
    if (is_staff && username !== null) throw userErrors.STAFF_NAME_FIXED();
    assertNameMayBeTaken(changes.username, { brand: config.BRAND_NAME });
    await assertNotOfStaff(tx, { username: changes.username, ownerId: userId });
  }
  if (!isUploaded && typeof changes.avatar === 'string' && changes.avatar !== avatar)
    throw userErrors.AVATAR_NOT_UPLOADED();
  await store(tx, userId, changes);
  return changes.avatar === undefined || changes.avatar === avatar ? null : avatar;
}

/**
 * Returns true if the profile shows this avatar, or if the query fails. The commit that stored the avatar may have succeeded although its
 * response was lost.
 */
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

/** Locks the profile, so that the second of two concurrent uploads finds the first one's file as the previous avatar. */
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

async function store(tx: Tx, userId: number, changes: UpdateUser): Promise<void> {
  const { username } = changes;
  const values = {
    avatar: changes.avatar,
    language: changes.language,
    is_private: changes.isPrivate,
    is_streamer_mode: changes.isStreamerMode,
    is_email_notifications_enabled: changes.isEmailNotificationsEnabled,
    platform_trade_link: changes.platformTradeLink,
    ...(username === undefined ? {} : { username, username_skeleton: skeletonOf(username) }),
    updated_at: sql<Date>`now()`,
  };
  try {
    await tx.updateTable('users').set(values).where('id', '=', userId).execute();
  } catch (error) {
    if (violatedConstraint(error)?.startsWith('users_')) throw userErrors.AUTH_USER_EXISTS();
    throw error;
  }
  if (username !== undefined || changes.language !== undefined)
    await emitEvent(tx, { event: userEvents['user.updated'], userId, data: {} });
  if (changes.isEmailNotificationsEnabled !== undefined)
    await emitEvent(tx, { event: userEvents['user.consents'], userId, data: {} });
}
