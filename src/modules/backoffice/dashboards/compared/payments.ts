import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, Decimal, object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import type { DashboardDeps } from '../deps.ts';
import { readApprovals, readPayments } from '../money/queries.ts';
import { withPrevious } from '../periods/rules.ts';
import { type Compared, comparedFrom, readCompared } from '../request.ts';
import { ratioOf } from '../rules.ts';
import { compared, comparison, count, DashboardQuery } from '../schemas.ts';

const DashboardPaymentRow = object('DashboardPaymentRow', {
  direction: z.enum(['DEPOSIT', 'WITHDRAW']),
  currencyId: CurrencyId,
  networkId: z
    .string()
    .nullable()
    .meta({ description: 'null for payments without a network, such as skins.' }),
  count: count.meta({ description: 'Completed payments.' }),
  amount: Decimal,
  usdAmount: Decimal,
  failureRate: z.number().meta({ description: 'Failed ÷ (completed and failed), four decimals.' }),
  medianApprovalSeconds: count.nullable().meta({
    description: 'From request to approval, for withdrawals approved in the period.',
  }),
});
const PaymentRows = compared(z.array(DashboardPaymentRow));

export const listPayments = operation({
  ...comparison,
  path: '/admin/dashboard/payments',
  summary: 'Compare payments with the previous period',
  query: DashboardQuery,
  response: PaymentRows,
  handler: (deps: DashboardDeps, { query }) => {
    const request = comparedFrom(deps, query);
    return readCompared(deps, 'payments', query, (tx) => readPaymentRows(tx, request));
  },
});

/** Reads completed and failed payments. */
async function readPaymentRows(
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
