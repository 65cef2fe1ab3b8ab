import { type Selectable, sql, type UpdateObject } from 'kysely';
import type { DB, VipApplications } from '../../../platform/database.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { IMAGES_KEEP_DAYS, type Status } from './rules.ts';

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

/** The ids of the images of these applications, in the order in which they were uploaded. */
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

/** Has the images of decided applications deleted when their time has come; 0 days: at once. */
export async function deleteImagesLater(
  tx: Tx,
  applicationIds: readonly string[],
  keepDays = IMAGES_KEEP_DAYS,
): Promise<void> {
  await sql`update vip_application_images set delete_at = now() + ${keepDays} * interval '1 day'
    where application_id = any(${applicationIds}::uuid[])`.execute(tx);
}
