import type { z } from 'zod';
import type { Tx } from '../../../../platform/db.ts';
import { type Direction, readPayments } from '../money/queries.ts';
import type { Steps } from '../periods/rules.ts';
import { dollars, ratioOf } from '../rules.ts';
import type { PaymentStats } from '../schemas.ts';
import { seriesOf } from './series.ts';

/** Dollars that were paid in and out, step by step. */
export async function readPaymentStats(tx: Tx, steps: Steps): Promise<z.input<typeof PaymentStats>> {
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
