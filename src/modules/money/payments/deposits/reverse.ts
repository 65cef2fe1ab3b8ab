import type { Tx } from '../../../../platform/database/db.ts';
import { advance, publishChange, stay, type Work } from './advance.ts';
import { type DepositRow, lockChildren } from './queries.ts';
import { cancelQueuedReturn, lapseProposals, writtenOffAmount } from './review-state.ts';
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
