import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import type { DashboardDeps } from '../deps.ts';
import { type Direction, readPayments } from '../money/queries.ts';
import type { Steps } from '../periods/rules.ts';
import { readChart } from '../request.ts';
import { dollars, ratioOf } from '../rules.ts';
import { chart, GameQuery, series } from '../schemas.ts';
import { seriesOf } from './series.ts';

const PaymentStats = z.object({
  depositAmount: z.number(),
  depositAmountTimeSeries: series,
  ratio: z.number().meta({ description: 'Withdrawals ÷ deposits, four decimals.' }),
  ratioTimeSeries: series,
  withdrawalAmount: z.number(),
});

export const getPaymentStats = operation({
  ...chart,
  path: '/admin/dashboard-v2/query/payments',
  summary: 'Get deposits and withdrawals of a time range',
  query: GameQuery,
  response: PaymentStats,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'payment-stats', query, (tx, period) => readPaymentStats(tx, period.steps)),
});

async function readPaymentStats(tx: Tx, steps: Steps): Promise<z.input<typeof PaymentStats>> {
  const sums: Record<Direction, bigint[]> = {
    DEPOSIT: steps.starts.map(() => 0n),
    WITHDRAW: steps.starts.map(() => 0n),
  };
  for (const { step, direction, usdAmount } of await readPayments(tx, steps))
    sums[direction][step]! += usdAmount;
  const total = (direction: Direction) => sums[direction].reduce((a, b) => a + b, 0n);
  const [deposits, withdrawals] = [total('DEPOSIT'), total('WITHDRAW')];
  return {
    depositAmount: dollars(deposits),
    depositAmountTimeSeries: seriesOf(steps, (step) => dollars(sums.DEPOSIT[step]!)),
    ratio: ratioOf(withdrawals, deposits),
    ratioTimeSeries: seriesOf(steps, (step) => ratioOf(sums.WITHDRAW[step]!, sums.DEPOSIT[step]!)),
    withdrawalAmount: dollars(withdrawals),
  };
}
