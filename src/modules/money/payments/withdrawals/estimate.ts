import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { formatRate, formatUnits } from '../../../../platform/money.ts';
import type { Quotes } from './quote.ts';
import type { EstimateRequest, WithdrawEstimate } from './schemas.ts';
import type { Terms } from './terms.ts';

/**
 * What arrives of an amount and what it costs, fixed for a minute by `quoteId`. Throws 404 PAYMENT_METHOD_NOT_FOUND, 400
 * AMOUNT_OUT_OF_RANGE, 400 AMOUNT_BELOW_FEE.
 */
export const createEstimate =
  ({ terms, quotes }: { terms: Terms; quotes: Quotes }) =>
  (userId: number, order: z.output<typeof EstimateRequest>): z.input<typeof WithdrawEstimate> => {
    const { amount, fee, usdAmount, rate } = terms.price(order, userId);
    const { currencyId, networkId } = order;
    const { quoteId, expiresAt } = quotes.make({ userId, currencyId, networkId, amount }, fee);
    return {
      amount: formatUnits(amount),
      fee: formatUnits(fee),
      receiveAmount: formatUnits(amount - fee),
      usdAmount: formatUnits(usdAmount),
      rate: formatRate(rate),
      quoteId,
      expiresAt: iso(expiresAt),
    };
  };
