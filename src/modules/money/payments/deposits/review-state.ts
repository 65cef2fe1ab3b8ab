import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';

/** Ends the open proposal about a deposit so that it can no longer be approved. */
export async function lapseProposals(tx: Tx, depositId: string): Promise<void> {
  await tx
    .updateTable('deposit_reviews')
    .set({ state: 'LAPSED', decided_at: sql<Date>`now()` })
    .where('deposit_id', '=', depositId)
    .where('state', '=', 'PROPOSED')
    .execute();
}

/** Cancels the payout of a deposit that is being returned. Returns false if the provider may already have received the request. */
export async function cancelQueuedReturn(tx: Tx, depositId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('deposit_returns')
    .set({ status: 'FAILED', failed_reason: 'the deposit was reversed', updated_at: sql<Date>`now()` })
    .where('deposit_id', '=', depositId)
    .where('status', '=', 'QUEUED')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the amount that staff have written off; 0 if none of it was in suspense. */
export async function writtenOffAmount(tx: Tx, depositId: string): Promise<Units> {
  const row = await tx
    .selectFrom('deposit_reviews')
    .select('amount')
    .where('deposit_id', '=', depositId)
    .where('action', '=', 'WRITE_OFF')
    .where('state', '=', 'DONE')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.amount ?? 0n;
}
