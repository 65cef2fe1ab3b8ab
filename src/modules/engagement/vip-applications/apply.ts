import { sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { violatedConstraint } from '../../../platform/database-errors.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { formatUnits, units } from '../../../platform/money.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import { vipApplicationErrors } from './errors.ts';
import { type ApplicationRow, deleteImagesLater, findApplication, imagesOf } from './queries.ts';
import type { VipApplication, VipApplicationRequest } from './schemas.ts';

export type Shown = z.input<typeof VipApplication>;
export type ApplyDeps = { db: Db; gate: Gate; imageUrl: ImageUrl };
/** The address of an image, for its owner or for staff. */
export type ImageUrl = (imageId: string, reader: { isForStaff: boolean }) => string;

/** Applications of a player that are shown to them. */
const MOST_SHOWN = 50;

/** Throws 403 USER_BANNED, SELF_EXCLUDED, 409 VIP_APPLICATION_OPEN. */
export async function apply(
  deps: ApplyDeps,
  userId: number,
  given: z.output<typeof VipApplicationRequest>,
): Promise<Shown> {
  const row = await transaction(deps.db, async (tx) => {
    await deps.gate.assertMay(tx, { action: 'claim', userId, country: null });
    return insert(tx, userId, given);
  });
  return shown(deps, row, []);
}

async function insert(tx: Tx, userId: number, given: z.output<typeof VipApplicationRequest>) {
  const { totalWageredUsd, note, howDidYouHear } = given;
  try {
    const row = await tx
      .insertInto('vip_applications')
      .values({
        id: newId(),
        user_id: userId,
        platform_name: given.platformName,
        platform_username: given.platformUsername,
        total_wagered_usd: units(totalWageredUsd),
        rank: given.rank,
        contact_method: given.contactMethod,
        contact_username: given.contactUsername,
        country: given.country ?? null,
        note: note?.trim() || null,
        how_did_you_hear: howDidYouHear?.trim() || null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return row as ApplicationRow;
  } catch (error) {
    if (violatedConstraint(error) !== 'vip_applications_open_key') throw error;
    throw vipApplicationErrors.VIP_APPLICATION_OPEN();
  }
}

/** The player's own applications, newest first. */
export async function listOwn(deps: ApplyDeps, userId: number): Promise<Shown[]> {
  const rows = await deps.db
    .selectFrom('vip_applications')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(MOST_SHOWN)
    .execute();
  const ids = rows.map(({ id }) => id);
  const images = await imagesOf(deps.db, ids);
  return rows.map((row) => shown(deps, row as ApplicationRow, images.get(row.id)!));
}

/** One of the player's own applications. Throws 404 VIP_APPLICATION_NOT_FOUND, also for those of others. */
export async function getOwn(deps: ApplyDeps, userId: number, id: string): Promise<Shown> {
  const row = await findApplication(deps.db, id);
  if (row?.user_id !== userId) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  return shown(deps, row, (await imagesOf(deps.db, [id])).get(id)!);
}

/** For the closing of an account, whose player is locked: an open application is cancelled, and nothing says who applied. */
export async function closeApplications(tx: Tx, userId: number): Promise<void> {
  const gone = '(erased)';
  const { rows } = await sql<{ id: string }>`
    update vip_applications set
      status = case when status in ('NEW', 'IN_REVIEW') then 'CANCELLED' else status end,
      decided_at = coalesce(decided_at, now()),
      platform_name = ${gone}, platform_username = ${gone}, rank = ${gone}, contact_method = 'OTHER', contact_username = ${gone},
      country = null, note = null, how_did_you_hear = null, tag = null, staff_note = null, public_comment = null,
      reason = case when reason is null then null else ${gone} end,
      updated_at = now()
    where user_id = ${userId} returning id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await deleteImagesLater(tx, ids, 0);
}

/** What the player has stated. */
export const statedIn = (row: ApplicationRow) => ({
  platformName: row.platform_name,
  platformUsername: row.platform_username,
  totalWageredUsd: formatUnits(row.total_wagered_usd),
  rank: row.rank,
  contactMethod: row.contact_method as Shown['contactMethod'],
  contactUsername: row.contact_username,
  country: row.country,
  note: row.note,
  howDidYouHear: row.how_did_you_hear,
});

const shown = ({ imageUrl }: ApplyDeps, row: ApplicationRow, images: readonly string[]): Shown => ({
  id: row.id,
  status: row.status,
  ...statedIn(row),
  publicComment: row.public_comment,
  grantedVipLevel: row.granted_vip_level,
  images: images.map((imageId) => imageUrl(imageId, { isForStaff: false })),
  createdAt: iso(row.created_at),
  decidedAt: row.decided_at && iso(row.decided_at),
});
