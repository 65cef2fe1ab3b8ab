import type { Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import type { SYSTEM_ACCOUNTS } from '../../ledger/accounts.ts';
import { post } from '../../ledger/post.ts';
import type { Kind } from '../../ledger/rules.ts';
import type { DepositRow } from './queries.ts';

type Account = keyof typeof SYSTEM_ACCOUNTS;
export type Leg = { kind: Kind; debit: Account; credit: Account; amount: Units };
type Keyed = Pick<DepositRow, 'output_key' | 'currency_id'>;

/** Posts legs between platform accounts, once for each step of a deposit. Zero amounts are skipped. */
export async function postLegs(tx: Tx, row: Keyed, step: string, legs: readonly Leg[]): Promise<void> {
  const postings = legs
    .filter(({ amount }) => amount > 0n)
    .map((leg) => ({ userId: 0, currencyId: row.currency_id, ...leg }));
  if (postings.length === 0) return;
  await post(tx, [{ key: `deposit:${row.output_key}:${step}`, kind: postings[0]!.kind, postings }]);
}

/** Posts confirmed but uncredited coins from treasury to suspense, once for each output. */
export const enterSuspense = (tx: Tx, row: Keyed, amount: Units): Promise<void> =>
  postLegs(tx, row, 'suspense', [
    { kind: 'deposit.suspense', debit: 'treasury', credit: 'suspense', amount },
  ]);

/** Posts suspended coins back before they are credited or reversed. */
export const leaveSuspense = (tx: Tx, row: DepositRow): Promise<void> =>
  postLegs(tx, row, 'suspense:back', [
    { kind: 'deposit.suspense.return', debit: 'suspense', credit: 'treasury', amount: row.suspense_amount },
  ]);

/** Posts suspended coins to fees. */
export const writeOff = (tx: Tx, row: DepositRow): Promise<void> =>
  postLegs(tx, row, 'suspense:back', [
    { kind: 'deposit.written-off', debit: 'suspense', credit: 'fees', amount: row.suspense_amount },
  ]);

/** Reverses the write-off of coins that the chain has since dropped. */
export const undoWriteOff = (tx: Tx, row: Keyed, amount: Units): Promise<void> =>
  postLegs(tx, row, 'suspense:reversal', [
    { kind: 'deposit.written-off.reversal', debit: 'fees', credit: 'treasury', amount },
  ]);
