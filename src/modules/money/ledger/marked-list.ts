import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { sqlState } from '../../../platform/database/errors.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { EVERYBODY, type MarkedList } from '../../../platform/list/marked-list.ts';
import { MARKS_LEAST_MS } from '../../../platform/list/marks.ts';
import { monthOfId } from './rules.ts';
import { createSafeWatermark, type IdsTaken } from './safe-watermark.ts';

/** Defines a list in a table that is partitioned by month and gets its ids from `ledger_ids`. */
export const ledgerList = (
  name: 'bets' | 'ledger_lines',
  list: Omit<MarkedList, 'name' | 'table' | 'archived' | 'watermark' | 'partitionOf'>,
): MarkedList => ({
  ...list,
  name,
  table: sql.table(name),
  archived: (scope) => sql`(select archived_count(${sql.lit(name)}, ${sql.lit(scope)}))`,
  watermark: createSafeWatermark,
  partitionOf: monthOfId,
});

/** Returns the job that sets the marks of a list. */
export const marksJob = (
  name: string,
  list: { hasMarksToSet: (wereIdsTaken: boolean) => Promise<boolean>; setMarks: () => Promise<void> },
  ids: IdsTaken,
): Job => ({
  name,
  everyMs: 1000,
  isDue: ids.since(list.hasMarksToSet, MARKS_LEAST_MS),
  run: () => list.setMarks(),
});

const below = (id: bigint | undefined): RawBuilder<unknown> =>
  id === undefined ? sql`true` : sql`id < ${id}`;

/** Movements of user accounts. A posting is a separate movement for each of its two accounts that is a user account. */
export const MOVEMENTS = ledgerList('ledger_lines', {
  marks: sql`ledger_marks`,
  counts: sql`least(debit, credit) < 100`,
  weight: sql`((debit < 100)::int + (credit < 100)::int)`,
  within: (scope, from, end) => {
    const whose = scope === EVERYBODY ? sql`true` : sql`user_id = ${sql.lit(scope)}`;
    return sql`${whose} and id >= ${from} and ${below(end)}`;
  },
  order: () => sql`id`,
});

/**
 * Adds new pages of postings to the BRIN summaries of ids. It skips this if a vacuum of a partition holds the lock, because the vacuum also
 * adds these pages.
 */
export async function summarizePostings(db: Db): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = '200ms'`.execute(tx);
      await sql`select brin_summarize_new_values(relid) from pg_partition_tree('ledger_lines_id_brin') where isleaf`.execute(
        tx,
      );
    });
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error;
  }
}
