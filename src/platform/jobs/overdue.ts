import { sql } from 'kysely';
import { type Db, transaction } from '../database/db.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Job, Overdue } from './jobs.ts';
import { useIndexes } from './purge.ts';

const READ_EVERY_MS = 30_000;

/** Reports for each table how long its oldest expired row has been overdue for deletion. Each value costs one index look-up. */
export function watchOverdue(
  { db, metrics }: { db: Db; metrics: Pick<Metrics, 'watchEach'> },
  jobs: readonly Job[],
): void {
  const all = jobs.flatMap(({ overdue = [] }) => overdue);
  metrics.watchEach(
    'table',
    { croupier_purge_overdue_seconds: 'Time since the oldest row should have been deleted by a job' },
    async () =>
      (await readOverdue(db, all)).map(({ table, seconds }) => ({
        label: table,
        figures: { croupier_purge_overdue_seconds: seconds },
      })),
    READ_EVERY_MS,
  );
}

/** Returns, for each table, the number of seconds for which its oldest expired row has been overdue, or 0 if no row is overdue. */
export function readOverdue(db: Db, all: readonly Overdue[]): Promise<{ table: string; seconds: number }[]> {
  const each = all.map(
    ({ table, due }) => sql`select ${table}::text as table, (${due()})::timestamptz as due`,
  );
  return transaction(db, async (tx) => {
    await useIndexes(tx);
    const { rows } = await sql<{ table: string; seconds: number }>`
      select "table", greatest(0, coalesce(max(extract(epoch from now() - due)), 0))::float8 as seconds
      from (${sql.join(each, sql` union all `)}) each group by 1 order by 1`.execute(tx);
    return rows;
  });
}
