import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';

const LONGEST = 500;

/** Says of an open bet that it could not be settled, and why: it waits as ERROR for a retry. One that has ended stays as it is. */
export async function setAside(db: Db, betId: bigint, reason: string): Promise<void> {
  await db
    .updateTable('bets')
    .set({ status: 'ERROR', error_reason: reason.slice(0, LONGEST), updated_at: sql<Date>`now()` })
    .where('id', '=', betId)
    .where('status', 'in', ['CREATED', 'ERROR'])
    .execute();
}
