import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { advance, publishChange, stay, type Work } from './advance.ts';
import { type DepositRow, lockChildren } from './queries.ts';
import { canTransition } from './rules.ts';
import { leaveSuspense, undoWriteOff } from './suspense.ts';

/** The reason on a deposit whose coins vanished while they were being returned. It is reversed if the payout fails. */
export const REVERSED_WHILE_RETURNING = 'REVERSED_WHILE_RETURNING';

/** Reverses a deposit and every later part of a payment that has grown. */
export async function reverse(tx: Tx, work: Work): Promise<DepositRow> {
  const { row, report } = work;
  // The same hash on another network is another transaction: it says nothing about these coins.
  if (report.networkId !== row.network_id) return stay(tx, work, ['NETWORK_DIFFERS']);
  for (const child of report.isCumulative ? await lockChildren(tx, row.id) : [])
    await publishChange(tx, child, await reverseOne(tx, { ...work, row: child }));
  return reverseOne(tx, work);
}

/** Reverses a credit and everything that followed from it. Coins in suspense go back to the treasury, and open proposals end. */
async function reverseOne(tx: Tx, work: Work): Promise<DepositRow> {
  const { deps, row, at } = work;
  if (row.status === 'RETURNING') {
    if (!(await cancelQueuedReturn(tx, row.id))) return stay(tx, work, [REVERSED_WHILE_RETURNING]);
  } else if (!canTransition(row.status, 'REVERSED')) {
    return stay(tx, work, row.status === 'RETURNED' ? ['REVERSED_AFTER_RETURN'] : []);
  }
  if (row.credit_key !== null) await deps.credits.reverse(tx, { key: row.credit_key, at });
  if (row.status === 'WRITTEN_OFF') await undoWriteOff(tx, row, await writtenOffAmount(tx, row.id));
  await leaveSuspense(tx, row);
  await lapseProposals(tx, row.id);
  const taken = { deposit_bonus: null, affiliate_amount: 0n, suspense_amount: 0n };
  return advance(tx, work, { status: 'REVERSED', ...taken });
}

/** Ends the open proposal about a deposit so that it can no longer be approved. */
async function lapseProposals(tx: Tx, depositId: string): Promise<void> {
  await tx
    .updateTable('deposit_reviews')
    .set({ state: 'LAPSED', decided_at: sql<Date>`now()` })
    .where('deposit_id', '=', depositId)
    .where('state', '=', 'PROPOSED')
    .execute();
}

/** Cancels the payout of a deposit that is being returned. Returns false if the provider may already have received the request. */
async function cancelQueuedReturn(tx: Tx, depositId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('deposit_returns')
    .set({ status: 'FAILED', failed_reason: 'the deposit was reversed', updated_at: sql<Date>`now()` })
    .where('deposit_id', '=', depositId)
    .where('status', '=', 'QUEUED')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the amount that staff have written off; 0 if none of it was in suspense. */
async function writtenOffAmount(tx: Tx, depositId: string): Promise<Units> {
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
