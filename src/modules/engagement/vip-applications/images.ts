import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Webp } from '../../../http/schemas.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors, messageOf } from '../../../platform/errors.ts';
import { newPictureId } from '../../../platform/files/files.ts';
import { toWebp } from '../../../platform/files/images.ts';
import { findApplication, imagesOf, lockApplication, type VipApplicationDeps } from './applications.ts';
import { vipApplicationErrors } from './errors.ts';
import { assertAcceptsImage } from './rules.ts';
import { ApplicationPath, toOwnApplication, VipApplication } from './view.ts';

const ImagePath = z.object({ imageId: z.string().regex(/^[\w-]{22}$/) });

/** The maximum width and height of an image. Larger images are scaled down. */
const MAX_SIDE = 2000;

export const addImage = operation({
  method: 'POST',
  path: '/vip-application/{id}/image',
  tag: 'VipApplication',
  access: 'auth',
  gate: 'none',
  summary: 'Add an image to a new VIP application',
  description:
    'Accepts up to five images until the review starts. Each image is re-encoded to at most 2,000 pixels in width and height, ' +
    'without metadata. Images are deleted 180 days after the decision.',
  multipart: 'image',
  body: z.strictObject({}),
  params: ApplicationPath,
  response: VipApplication,
  errors: [
    commonErrors.IMAGE_INVALID,
    vipApplicationErrors.VIP_APPLICATION_NOT_FOUND,
    vipApplicationErrors.VIP_APPLICATION_NOT_NEW,
    vipApplicationErrors.VIP_APPLICATION_IMAGES_FULL,
  ],
  handler: async (
    deps: VipApplicationDeps,
    { user: { id: userId }, params: { id: applicationId }, file },
  ) => {
    const { db } = deps;
    const owner = { userId, applicationId };
    // The application is checked first, because encoding is expensive.
    await transaction(db, (tx) => assertMayAdd(tx, owner));
    // The file is optional in the API specification. Without a file nothing changes.
    if (file) await storeImage(deps, owner, file.bytes);
    const row = (await findApplication(db, applicationId))!;
    return toOwnApplication(deps, row, (await imagesOf(db, [applicationId])).get(applicationId)!);
  },
});

type Owner = { userId: number; applicationId: string };

/** Commits the row before it writes the file, so that every stored file has a row, which is needed to delete the file. */
async function storeImage(deps: VipApplicationDeps, owner: Owner, original: Buffer): Promise<void> {
  const { db, files, config } = deps;
  const size = { width: MAX_SIDE, height: MAX_SIDE, isWhole: true, maxPixels: config.UPLOAD_LIMIT_PIXELS };
  const bytes = await toWebp(original, size);
  const id = newPictureId();
  await transaction(db, async (tx) => {
    await assertMayAdd(tx, owner);
    await tx
      .insertInto('vip_application_images')
      .values({ id, application_id: owner.applicationId })
      .execute();
  });
  try {
    await files.private.put(id, bytes);
  } catch (error) {
    await deleteImage(deps, id);
    throw error;
  }
  // The account may have been closed and its images deleted in the meantime.
  if (!(await imageExists(db, id))) await files.private.remove(id);
}

async function assertMayAdd(tx: Tx, { userId, applicationId }: Owner): Promise<void> {
  const row = await lockApplication(tx, applicationId);
  if (row?.user_id !== userId) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  const images = (await imagesOf(tx, [applicationId])).get(applicationId)!.length;
  assertAcceptsImage({ status: row.status, images });
}

const imageExists = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('vip_application_images').select('id').where('id', '=', id).executeTakeFirst()) !==
  undefined;

const imageOperation = {
  method: 'GET',
  params: ImagePath,
  response: Webp,
  errors: [vipApplicationErrors.VIP_APPLICATION_NOT_FOUND],
} as const;

export const getOwnImage = operation({
  ...imageOperation,
  path: '/vip-application/image/{imageId}',
  tag: 'VipApplication',
  access: 'auth',
  summary: 'Get an image of one of your VIP applications',
  handler: (deps: VipApplicationDeps, { user, params }) =>
    readImage(deps, { imageId: params.imageId, userId: user.id }),
});

export const getImage = operation({
  ...imageOperation,
  path: '/admin/vip-application/image/{imageId}',
  tag: 'VipApplicationAdmin',
  access: { permission: 'vip.read' },
  summary: 'Get an image of a VIP application',
  handler: (deps: VipApplicationDeps, { params }) => readImage(deps, { imageId: params.imageId }),
});

/**
 * Returns the bytes of an image. If `userId` is given, only images of that player's applications are returned. Throws 404
 * VIP_APPLICATION_NOT_FOUND.
 */
async function readImage(
  { db, files }: VipApplicationDeps,
  { imageId, userId }: { imageId: string; userId?: number },
): Promise<Uint8Array> {
  const image = await db
    .selectFrom('vip_application_images as i')
    .innerJoin('vip_applications as a', 'a.id', 'i.application_id')
    .select('i.id')
    .where('i.id', '=', imageId)
    .$if(userId !== undefined, (q) => q.where('a.user_id', '=', userId!))
    .executeTakeFirst();
  const bytes = image && (await files.private.read(image.id));
  if (!bytes) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  return bytes;
}

export const IMAGES_EXPIRY = {
  table: 'vip_application_images',
  after: 'delete_at',
  keepSeconds: 0,
  where: 'delete_at is not null',
};
const BATCH = 100;

/** Deletes expired images. Images that the storage fails to delete are retried by the next run. */
export async function deleteImages(deps: VipApplicationDeps): Promise<void> {
  const failed: string[] = [];
  for (;;) {
    const { rows } = await sql<{ id: string }>`select id from vip_application_images
      where delete_at <= now() and id <> all(${failed}::text[]) order by delete_at limit ${BATCH}`.execute(
      deps.db,
    );
    const failedBefore = failed.length;
    for (const { id } of rows)
      await deleteImage(deps, id).catch((error: unknown) => {
        deps.log.error({ error: messageOf(error) }, 'failed to delete an image of a VIP application');
        failed.push(id);
      });
    const isStorageDown = failed.length - failedBefore === rows.length;
    if (rows.length < BATCH || isStorageDown) return;
  }
}

/** Deletes the file first. If deleting the row fails, the next run deletes both. */
async function deleteImage({ db, files }: VipApplicationDeps, id: string): Promise<void> {
  await files.private.remove(id);
  await db.deleteFrom('vip_application_images').where('id', '=', id).execute();
}
