import { sql } from 'kysely';
import type { Upload } from '../../../http/route.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { invalidField, messageOf } from '../../../platform/errors.ts';
import { type Files, newPictureId } from '../../../platform/files.ts';
import { toWebp } from '../../../platform/images.ts';
import type { Log } from '../../../platform/log.ts';
import { vipApplicationErrors } from './errors.ts';
import { imagesOf, lockApplication } from './queries.ts';
import { assertTakesImage } from './rules.ts';

export type ImageDeps = { db: Db; log: Log; files: Pick<Files, 'private'>; maxPixels: number };
type Of = { userId: number; applicationId: string };

/** Images are scaled down to this many pixels in width and height. */
const MOST_PIXELS = 2000;

/**
 * Adds an image, drawn anew, to the player's own application. The row is committed before the file is written: what nobody
 * knows of is never stored. Throws 404 VIP_APPLICATION_NOT_FOUND, 409 VIP_APPLICATION_NOT_NEW, VIP_APPLICATION_IMAGES_FULL, 400
 * IMAGE_INVALID, 503 when the storage does not take it.
 */
export async function addImage(deps: ImageDeps, of: Of, file: Upload | undefined): Promise<void> {
  const { db, files, maxPixels } = deps;
  // So that nothing is drawn for nobody.
  await transaction(db, (tx) => assertTakesOne(tx, of));
  if (!file) throw invalidField('image', 'is missing');
  const size = { width: MOST_PIXELS, height: MOST_PIXELS, isWhole: true, maxPixels };
  const bytes = await toWebp(file.bytes, size);
  const id = newPictureId();
  await transaction(db, async (tx) => {
    await assertTakesOne(tx, of);
    await tx.insertInto('vip_application_images').values({ id, application_id: of.applicationId }).execute();
  });
  try {
    await files.private.put(id, bytes);
  } catch (error) {
    await remove(deps, id);
    throw error;
  }
  // The account may have been closed meanwhile, and its images deleted.
  if (!(await isKnown(db, id))) await files.private.remove(id);
}

async function assertTakesOne(tx: Tx, { userId, applicationId }: Of): Promise<void> {
  const row = await lockApplication(tx, applicationId);
  if (row?.user_id !== userId) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  const images = (await imagesOf(tx, [applicationId])).get(applicationId)!.length;
  assertTakesImage({ status: row.status, images });
}

const isKnown = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('vip_application_images').select('id').where('id', '=', id).executeTakeFirst()) !==
  undefined;

/** The bytes of an image; `userId`: only of an application of theirs. Throws 404 VIP_APPLICATION_NOT_FOUND. */
export async function readImage(
  { db, files }: Pick<ImageDeps, 'db' | 'files'>,
  { imageId, userId }: { imageId: string; userId?: number },
): Promise<Uint8Array> {
  const known = await db
    .selectFrom('vip_application_images as i')
    .innerJoin('vip_applications as a', 'a.id', 'i.application_id')
    .select('i.id')
    .where('i.id', '=', imageId)
    .$if(userId !== undefined, (q) => q.where('a.user_id', '=', userId!))
    .executeTakeFirst();
  const bytes = known && (await files.private.read(known.id));
  if (!bytes) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  return bytes;
}

const AT_ONCE = 100;

/** Deletes the images whose time has come. One that the storage does not let go of is tried again at the next run. */
export async function deleteImages(deps: ImageDeps): Promise<void> {
  const kept: string[] = [];
  for (;;) {
    const { rows } = await sql<{ id: string }>`select id from vip_application_images
      where delete_at <= now() and id <> all(${kept}::text[]) order by delete_at limit ${AT_ONCE}`.execute(
      deps.db,
    );
    const keptBefore = kept.length;
    for (const { id } of rows)
      await remove(deps, id).catch((error: unknown) => {
        deps.log.error({ error: messageOf(error) }, 'an image of a VIP application could not be deleted');
        kept.push(id);
      });
    const isStorageGone = kept.length - keptBefore === rows.length;
    if (rows.length < AT_ONCE || isStorageGone) return;
  }
}

/** The file first: what is deleted by half is known and deleted again. */
async function remove({ db, files }: ImageDeps, id: string): Promise<void> {
  await files.private.remove(id);
  await db.deleteFrom('vip_application_images').where('id', '=', id).execute();
}
