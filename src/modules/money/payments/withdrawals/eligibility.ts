import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Amount, CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { countryOfIp } from '../../../../platform/countries/geo.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatRate, formatUnits, type Units, usdToCurrencyDown } from '../../../../platform/money.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { balancesOf } from '../../ledger/balances.ts';
import { paymentErrors, withdrawalErrors } from '../errors.ts';
import { recipientOf } from '../recipient.ts';
import { dailyRemaining, findObstacles, identityRemaining } from './applicant.ts';
import { isPayable, minimumFor, priceOf, usdOf } from './pricing.ts';
import { NetworkId, recipientFields } from './schemas.ts';
import type { WithdrawalDeps } from './service.ts';

const WithdrawEligibility = object('WithdrawEligibility', {
  canWithdraw: z.boolean(),
  available: Decimal,
  lockedByRollover: Decimal,
  wagerRemainingUsd: Decimal,
  kyc: z.object({
    required: z.boolean(),
    tier: z.enum(['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS']).nullable(),
  }),
  block: object('PublicWithdrawalBlock', {
    reasonPublic: z.string().nullable(),
    blockUntil: Timestamp.nullable(),
  }).nullable(),
  mfaRequired: z.boolean(),
  minAmount: Decimal,
  maxAmount: Decimal,
  dailyRemainingUsd: Decimal.nullable(),
  reasons: z.array(z.string()),
});

export const getWithdrawEligibility = operation({
  method: 'GET',
  path: '/payments/withdraw/eligibility',
  tag: 'Payments',
  access: 'auth',
  summary: 'Check whether you can withdraw and, if not, why',
  description:
    '`reasons` lists every error code that a withdrawal request in this currency would return now.',
  query: z.strictObject({ currencyId: CurrencyId }),
  response: WithdrawEligibility,
  errors: [commonErrors.CURRENCY_NOT_FOUND],
  handler: (deps: WithdrawalDeps, { user: { id: userId }, ip, query: { currencyId } }) => {
    const { db, currencies } = deps;
    const currency = currencies.get(currencyId);
    const methods = currency.networks
      .map((network) => ({ currency, network }))
      .filter((method) => isPayable(deps, method));
    const minimum = least(methods.map((method) => minimumFor(deps, method)));
    return transaction(db, async (tx) => {
      const usdAmount = minimum === undefined ? undefined : usdOf(deps, currencyId, minimum);
      const inquiry = { userId, country: countryOfIp(ip), currencyId, usdAmount };
      const { applicant, facts, codes } = await findObstacles(tx, deps, inquiry);
      const cash = (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
      const { wagerRemainingUsd, openGrant, kycTier, block } = facts;
      const locked = wagerRemainingUsd > 0n || openGrant ? cash : 0n;
      const left = dailyRemaining(deps, applicant);
      const { rate } = currencies.rateOf(currencyId);
      const inCurrency = (usd: Units | null): Units =>
        usd === null || rate === 0n ? cash : usdToCurrencyDown(usd, rate, currency.decimals);
      const byDay = inCurrency(left);
      const byIdentity = inCurrency(identityRemaining(deps, applicant));
      if (methods.length === 0) codes.push(gateErrors.WITHDRAW_DISABLED.code);
      if (minimum !== undefined && cash < minimum) codes.push(commonErrors.INSUFFICIENT_BALANCE.code);
      if (left !== null && (left === 0n || (minimum !== undefined && byDay < minimum)))
        codes.push(commonErrors.AMOUNT_OUT_OF_RANGE.code);
      const reasons = [...new Set(codes)];
      const maximum = reasons.length === 0 ? least([byDay, byIdentity, cash])! : 0n;
      return {
        canWithdraw: reasons.length === 0,
        available: formatUnits(cash),
        lockedByRollover: formatUnits(locked),
        wagerRemainingUsd: formatUnits(wagerRemainingUsd),
        kyc: { required: kycTier !== null, tier: kycTier as 'IDENTITY' | null },
        block,
        mfaRequired: applicant.hasSecondFactor,
        minAmount: formatUnits(minimum ?? 0n),
        maxAmount: formatUnits(maximum),
        dailyRemainingUsd: left === null ? null : formatUnits(left),
        reasons,
      };
    });
  },
});

/** Returns the smallest of these amounts, or undefined if there are none. */
function least(amounts: readonly Units[]): Units | undefined {
  return amounts.reduce<Units | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
}

export const estimateWithdrawal = operation({
  method: 'POST',
  path: '/payments/withdraw/estimate',
  tag: 'Payments',
  access: 'auth',
  gate: 'none',
  summary: 'Estimate the fee and payout of a withdrawal',
  description:
    'Returns a quote that holds the fee of one withdrawal for one minute. If `recipientAddress` is sent, the address and the ' +
    'memo are checked as the withdrawal itself checks them.',
  body: strictObject('WithdrawEstimateRequest', {
    currencyId: CurrencyId,
    networkId: NetworkId,
    amount: Amount,
    ...recipientFields,
    recipientAddress: recipientFields.recipientAddress.optional(),
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
    withdrawalErrors.RECIPIENT_ADDRESS_INVALID,
    withdrawalErrors.RECIPIENT_MEMO_INVALID,
  ],
  handler: async (deps: WithdrawalDeps, { user: { id: userId }, body }) => {
    const { amount, fee, usdAmount, rate, network } = priceOf(deps, userId, body);
    const { currencyId, networkId, recipientAddress, recipientMemo } = body;
    if (recipientAddress !== undefined)
      await recipientOf(deps.db, { network }, { recipientAddress, recipientMemo });
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
