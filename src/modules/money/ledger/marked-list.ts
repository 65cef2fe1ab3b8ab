import { type RawBuilder, sql } from 'kysely';
import { sqlState } from '../../../platform/database-errors.ts';
import type { Db } from '../../../platform/db.ts';
import { EVERYBODY, type MarkedList } from '../../../platform/list/marked-list.ts';
import { monthOfId } from './months/rules.ts';
import { createSafeWatermark } from './safe-watermark.ts';

/** A list in a table partitioned by month, whose ids are taken from `ledger_ids`. */
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

const below = (id: bigint | undefined): RawBuilder<unknown> =>
  id === undefined ? sql`true` : sql`id < ${id}`;

/** Movements of users' accounts: one for each side of a posting that is such an account. */
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

/** Adds new pages of postings to the BRIN summaries of ids. A vacuum of a partition goes first and does the same. */
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
