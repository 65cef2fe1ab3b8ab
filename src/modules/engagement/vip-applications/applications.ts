import { type Selectable, sql, type UpdateObject } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { DB, VipApplications } from '../../../platform/database/tables.ts';
import type { Files } from '../../../platform/files/files.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { UserNote } from '../../base/users/schemas.ts';
import type { Sight } from '../../base/users/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Promo } from '../promo/service.ts';
import { vipApplicationErrors } from './errors.ts';
import { IMAGES_KEEP_DAYS, isOpen, type Status } from './rules.ts';

export type VipApplicationDeps = {
  config: Pick<Config, 'PUBLIC_API_URL' | 'UPLOAD_LIMIT_PIXELS'>;
  db: Db;
  /** Database for the staff list. It may be a replica that lags behind. */
  reads: Db;
  log: Log;
  files: Pick<Files, 'private'>;
  gate: Gate;
  siteConfig: SiteConfig;
  promo: Pick<Promo, 'grantTo' | 'costOf'>;
  /** Returns the newest notes about a user that have a risk level. */
  riskNotesOf: (userId: number, sight: Sight) => Promise<z.input<typeof UserNote>[]>;
};

export type ApplicationRow = Omit<Selectable<VipApplications>, 'status'> & { status: Status };

export async function findApplication(db: DbOrTx, id: string): Promise<ApplicationRow | undefined> {
  const row = await db.selectFrom('vip_applications').selectAll().where('id', '=', id).executeTakeFirst();
  return row as ApplicationRow | undefined;
}

export async function lockApplication(tx: Tx, id: string): Promise<ApplicationRow | undefined> {
  const row = await tx
    .selectFrom('vip_applications')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row as ApplicationRow | undefined;
}

export async function updateApplication(
  tx: Tx,
  id: string,
  values: UpdateObject<DB, 'vip_applications'> & { status?: Status },
): Promise<ApplicationRow> {
  const row = await tx
    .updateTable('vip_applications')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as ApplicationRow;
}

/** Returns the image ids of each application, in the order of their upload. */
export async function imagesOf(db: DbOrTx, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('vip_application_images')
    .select(['id', 'application_id'])
    .where('application_id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const grouped = Map.groupBy(rows, (row) => row.application_id);
  return new Map(ids.map((id) => [id, (grouped.get(id) ?? []).map((row) => row.id)]));
}

/** Marks all images of these applications for deletion after `keepDays`. A job deletes them. */
export async function deleteImagesLater(
  tx: Tx,
  applicationIds: readonly string[],
  keepDays = IMAGES_KEEP_DAYS,
): Promise<void> {
  await sql`update vip_application_images set delete_at = now() + ${keepDays} * interval '1 day'
    where application_id = any(${applicationIds}::uuid[])`.execute(tx);
}

/**
 * Locks an open application for a staff member: first the players, then the application. Throws 404 VIP_APPLICATION_NOT_FOUND, 409
 * VIP_APPLICATION_DECIDED, and the errors of `lockForDecision`.
 */
export async function lockOpen(tx: Tx, by: StaffCall, id: string): Promise<ApplicationRow> {
  const found = await findApplication(tx, id);
  if (!found) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  await lockForDecision(tx, by, found.user_id);
  const row = (await lockApplication(tx, id))!;
  if (!isOpen(row.status)) throw vipApplicationErrors.VIP_APPLICATION_DECIDED({ status: row.status });
  return row;
}

/** Cancels open applications of a closed account and erases all personal data of the applicant. The player must be locked. */
export async function closeApplications(tx: Tx, userId: number): Promise<void> {
  const erased = '(erased)';
  const { rows } = await sql<{ id: string }>`
    update vip_applications set
      status = case when status in ('NEW', 'IN_REVIEW') then 'CANCELLED' else status end,
      decided_at = coalesce(decided_at, now()),
      platform_name = ${erased}, platform_username = ${erased}, rank = ${erased}, contact_method = 'OTHER', contact_username = ${erased},
      country = null, note = null, how_did_you_hear = null, tag = null, staff_note = null, public_comment = null,
      reason = case when reason is null then null else ${erased} end,
      updated_at = now()
    where user_id = ${userId} returning id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await deleteImagesLater(tx, ids, 0);
}
