import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';

const LONGEST_REASON = 500;

/** Marks an open bet as ERROR, with the reason why it could not be settled; it waits for a retry. Leaves a bet that has ended. */
export async function markUnsettled(db: Db, betId: bigint, reason: string): Promise<void> {
  await db
    .updateTable('bets')
    .set({ status: 'ERROR', error_reason: reason.slice(0, LONGEST_REASON), updated_at: sql<Date>`now()` })
    .where('id', '=', betId)
    .where('status', 'in', ['CREATED', 'ERROR'])
    .execute();
}
