import type { Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { getUser } from '../../../base/users/service.ts';
import type { PaymentDeps } from '../deps.ts';
import type { Step } from './advance.ts';
import type { DepositRow } from './queries.ts';
import { leaveSuspense } from './suspense.ts';

type Credit = { userId: number; currencyId: string; amount: Units; usdAmount: Units; at: Date };

/**
 * Credits a deposit, automatically or by staff, under the one key of its output, and returns its next state. A banned player still owns
 * the money, but the deposit stays ON_HOLD until the ban is lifted.
 */
export async function creditDeposit(
  tx: Tx,
  { credits, depositGate }: Pick<PaymentDeps, 'credits' | 'depositGate'>,
  row: DepositRow,
  { userId, currencyId, amount, usdAmount, at }: Credit,
): Promise<Step> {
  await leaveSuspense(tx, row);
  const reasons = await depositGate.findings(tx, { userId, usdAmount });
  const key = `deposit:${row.output_key}`;
  const credit = { userId, currencyId, amount, usdAmount, key, kind: 'deposit', at } as const;
  const { entryId, bonus = null, affiliateUsd } = await credits.credit(tx, credit);
  const { affiliate_code } = await getUser(tx, userId);
  return {
    status: reasons.includes('USER_BANNED') ? 'ON_HOLD' : 'COMPLETED',
    reasons,
    amount,
    usd_amount: usdAmount,
    deposit_bonus: bonus,
    completed_at: at,
    affiliate_code,
    affiliate_amount: affiliateUsd,
    credit_key: key,
    entry_id: entryId,
    suspense_amount: 0n,
  };
}
