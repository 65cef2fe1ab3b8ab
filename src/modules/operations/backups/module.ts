import { sql } from 'kysely';
import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { DAY_SECONDS, deleteDue } from '../../../platform/jobs/purge.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';

export const backups = defineModule({
  name: 'backups',
  watch: ({ db, metrics }: { db: Db; metrics: Metrics }) =>
    metrics.watch('croupier_backup_age_seconds', 'Time since the newest backup was finished', () =>
      readBackupAge(db),
    ),
});

type Finished = { finishedAt: Date; place: string; bytes: number };

const EXPIRY = { table: 'backups', after: 'finished_at', keepSeconds: 400 * DAY_SECONDS };

/** Records a finished backup, and deletes records older than 400 days. */
export async function insertBackup(db: Db, { finishedAt, place, bytes }: Finished): Promise<void> {
  await db
    .insertInto('backups')
    .values({ finished_at: finishedAt, place, bytes: BigInt(bytes) })
    .execute();
  await deleteDue(db, EXPIRY);
}

/** Returns the age of the newest backup in seconds, or NaN if no backup was recorded. */
export async function readBackupAge(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from now() - max(finished_at))::float8 as seconds from backups`.execute(db);
  return rows[0]!.seconds ?? Number.NaN;
}
