import type { z } from 'zod';
import type { Tx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import type { Compared } from '../asked.ts';
import { readApprovals, readPayments } from '../money/queries.ts';
import { withPrevious } from '../periods/rules.ts';
import { ratioOf } from '../rules.ts';
import type { PaymentRows } from '../schemas.ts';

/** Payments that were completed or failed in a period and in the one before. */
export async function readPaymentRows(
  tx: Tx,
  { period, currencyId }: Compared,
): Promise<z.input<typeof PaymentRows>> {
  const steps = withPrevious(period);
  const payments = await readPayments(tx, steps, currencyId);
  const approvals = await readApprovals(tx, steps, currencyId);

  const rowsOf = (step: number) =>
    payments
      .filter((row) => row.step === step && row.count + row.failed > 0n)
      .map(({ direction, currencyId, networkId, count, failed, amount, usdAmount }) => ({
        direction,
        currencyId,
        networkId: networkId === '' ? null : networkId,
        count: Number(count),
        amount: formatUnits(amount),
        usdAmount: formatUnits(usdAmount),
        failureRate: ratioOf(failed, count + failed),
        medianApprovalSeconds:
          direction === 'DEPOSIT'
            ? null
            : (approvals.find(
                (row) => row.step === step && row.currencyId === currencyId && row.networkId === networkId,
              )?.seconds ?? null),
      }));
  return { previous: rowsOf(0), current: rowsOf(1) };
}
