import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { type Db, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { toWebp } from '../../../platform/files/images.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import {
  type ChallengeDeps,
  challengeErrors,
  findChallenge,
  lockChallenge,
  updateChallenge,
} from './queries.ts';
import { Challenge, ChallengePath, getForStaff } from './view.ts';

const SIZE = { width: 480, height: 640 };

export const setChallengeImage = operation({
  method: 'POST',
  path: '/admin/challenge/{id}/image',
  tag: 'Admin Challenge',
  access: { permission: 'challenge.write' },
  gate: 'none',
  summary: 'Set the image of a challenge',
  description:
    'The challenge shows this image instead of the image of its game. The image is converted to WebP, 480 × 640 pixels, without ' +
    'metadata.',
  multipart: 'image',
  body: z.strictObject({}),
  params: ChallengePath,
  response: Challenge,
  errors: [challengeErrors.CHALLENGE_NOT_FOUND, commonErrors.IMAGE_INVALID],
  handler: async (deps: ChallengeDeps, { by, params: { id }, file }) => {
    // This is checked before the image is converted, because the conversion is expensive.
    if (!(await findChallenge(deps.db, id))) throw challengeErrors.CHALLENGE_NOT_FOUND();
    // The image is optional in the specification. Without an image nothing changes.
    if (file) await setImage(deps, by, { id, bytes: file.bytes });
    return getForStaff(deps.db, deps, by, id);
  },
});

async function setImage(
  { db, files, config }: ChallengeDeps,
  by: StaffCall,
  { id, bytes }: { id: string; bytes: Buffer },
): Promise<void> {
  const image = await toWebp(bytes, { ...SIZE, maxPixels: config.UPLOAD_LIMIT_PIXELS });
  const url = files.urlOf(await files.put(image, 'games'));
  const former = await replaceUrl(db, by, { id, url }).catch(async (error: unknown) => {
    // A commit whose response was lost may have succeeded. In that case the file is in use.
    const isUsed = await findChallenge(db, id).then(
      (row) => row?.image_url === url,
      () => true,
    );
    if (!isUsed) await files.forget(url);
    throw error;
  });
  await files.forget(former);
}

/** Stores a new image URL and returns the previous one. */
const replaceUrl = (
  db: Db,
  by: StaffCall,
  { id, url }: { id: string; url: string },
): Promise<string | null> =>
  transaction(db, async (tx) => {
    const row = await lockChallenge(tx, id);
    await freshActor(tx, by);
    if (!row) throw challengeErrors.CHALLENGE_NOT_FOUND();
    await updateChallenge(tx, id, { image_url: url });
    await recordAudit(tx, by, { before: { id, imageUrl: row.image_url }, after: { id, imageUrl: url } });
    return row.image_url;
  });
