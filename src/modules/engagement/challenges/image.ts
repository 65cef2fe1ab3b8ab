import type { StaffCall } from '../../../http/access.ts';
import type { Upload } from '../../../http/route.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { Files } from '../../../platform/files.ts';
import { toWebp } from '../../../platform/images.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { challengeErrors } from './errors.ts';
import { findChallenge, lockChallenge, updateChallenge } from './queries.ts';

export type ImageDeps = { db: Db; files: Pick<Files, 'put' | 'urlOf' | 'forget'>; maxPixels: number };

const SIZE = { width: 480, height: 640 };

/**
 * Gives a challenge an image of its own, drawn anew, in place of the game's, which stays with the game. Throws 404 CHALLENGE_NOT_FOUND,
 * 400 IMAGE_INVALID.
 */
export async function setImage(
  { db, files, maxPixels }: ImageDeps,
  by: StaffCall,
  { id, file }: { id: string; file: Upload | undefined },
): Promise<void> {
  // So that nothing is drawn for nobody.
  if (!(await findChallenge(db, id))) throw challengeErrors.CHALLENGE_NOT_FOUND();
  if (!file) throw invalidField('image', 'is missing');
  const url = files.urlOf(await files.put(await toWebp(file.bytes, { ...SIZE, maxPixels }), 'games'));
  const former = await replace(db, by, { id, url }).catch(async (error: unknown) => {
    // A commit without an answer may have happened: then the file is shown.
    const isShown = await findChallenge(db, id).then(
      (row) => row?.image_url === url,
      () => true,
    );
    if (!isShown) await files.forget(url);
    throw error;
  });
  await files.forget(former);
}

const replace = (db: Db, by: StaffCall, { id, url }: { id: string; url: string }): Promise<string | null> =>
  transaction(db, async (tx) => {
    const row = await lockChallenge(tx, id);
    await freshActor(tx, by);
    if (!row) throw challengeErrors.CHALLENGE_NOT_FOUND();
    await updateChallenge(tx, id, { image_url: url });
    await recordAudit(tx, by, { before: { id, imageUrl: row.image_url }, after: { id, imageUrl: url } });
    return row.image_url;
  });
