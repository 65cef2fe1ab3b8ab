import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Amount, CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatRate, formatUnits } from '../../../../platform/money.ts';
import { paymentErrors } from '../errors.ts';
import type { WithdrawalDeps } from './deps.ts';
import { withdrawalErrors } from './errors.ts';
import { priceOf } from './pricing.ts';
import { NetworkId } from './schemas.ts';

export const estimateWithdrawal = operation({
  method: 'POST',
  path: '/payments/withdraw/estimate',
  tag: 'Payments',
  access: 'auth',
  gate: 'none',
  summary: 'Estimate the fee and payout of a withdrawal',
  description: 'Returns a quote that fixes the fee for one minute.',
  body: strictObject('WithdrawEstimateRequest', {
    currencyId: CurrencyId,
    networkId: NetworkId,
    amount: Amount,
  }),
  response: object('WithdrawEstimate', {
    amount: Decimal,
    fee: Decimal,
    receiveAmount: Decimal,
    usdAmount: Decimal,
    rate: Decimal,
    quoteId: z.string(),
    expiresAt: Timestamp,
  }),
  errors: [
    paymentErrors.PAYMENT_METHOD_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
    withdrawalErrors.AMOUNT_BELOW_FEE,
  ],
  handler: (deps: WithdrawalDeps, { user: { id: userId }, body }) => {
    const { amount, fee, usdAmount, rate } = priceOf(deps, userId, body);
    const { currencyId, networkId } = body;
    const { quoteId, expiresAt } = deps.withdrawals.quotes.make(
      { userId, currencyId, networkId, amount },
      fee,
    );
    return {
      amount: formatUnits(amount),
      fee: formatUnits(fee),
      receiveAmount: formatUnits(amount - fee),
      usdAmount: formatUnits(usdAmount),
      rate: formatRate(rate),
      quoteId,
      expiresAt: iso(expiresAt),
    };
  },
});
