import { commonErrors } from '../../../../platform/errors.ts';
import {
  currencyToUsdDown,
  formatUnits,
  ONE,
  parseUnits,
  type Rate,
  type Units,
  units,
} from '../../../../platform/money.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import { withdrawalErrors } from '../errors.ts';
import { type Method, methodOf } from '../recipient.ts';
import type { WithdrawalDeps } from './service.ts';

type Order = { currencyId: string; networkId: string; amount: string; quoteId?: string | undefined };

/**
 * An amount with its fee and value. `isPriced` is false if the exchange rate is too old for `usdAmount` to be used. `withdrawalId` is set
 * if the fee is that of a quote.
 */
export type Priced = Method & {
  withdrawalId: string | undefined;
  amount: Units;
  fee: Units;
  usdAmount: Units;
  rate: Rate;
  isPriced: boolean;
};

function rateOf({ currencies }: Pick<WithdrawalDeps, 'currencies'>, currencyId: string) {
  const { rate, stale } = currencies.rateOf(currencyId);
  return { rate, isPriced: !stale && rate > 0n };
}

/** Returns the value of an amount in US dollars, or null if the rate is stale or missing. */
export function usdOf(deps: WithdrawalDeps, currencyId: string, amount: Units): Units | null {
  const { rate, isPriced } = rateOf(deps, currencyId);
  return isPriced ? currencyToUsdDown(amount, rate) : null;
}

export const isPayable = ({ providers }: WithdrawalDeps, { network }: Pick<Method, 'network'>): boolean =>
  providers.active !== undefined && network.withdrawEnabled;

/** Returns the minimum withdrawal of a currency on a network. */
export function minimumFor(deps: WithdrawalDeps, { currency, network }: Method): Units {
  const minUsd = units(deps.siteConfig.get('WITHDRAWALS').minUsd);
  return minimumOf({ minWithdraw: network.minWithdraw, minUsd, ...rateOf(deps, currency.id) });
}

/**
 * Returns the fee and value of an order. Throws 404 PAYMENT_METHOD_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE for zero or too many decimals, 409
 * QUOTE_EXPIRED, or 400 AMOUNT_BELOW_FEE.
 */
export function priceOf(deps: WithdrawalDeps, userId: number, order: Order): Priced {
  const { currencyId, networkId, quoteId } = order;
  const method = methodOf(deps.currencies, currencyId, networkId);
  const { decimals } = method.currency;
  const amount = parseUnits(order.amount, decimals);
  if (amount === undefined || amount === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  const { quotes } = deps.withdrawals;
  const quoted = { userId, currencyId, networkId, amount };
  const { fee, withdrawalId } =
    quoteId === undefined
      ? { fee: method.network.withdrawFee, withdrawalId: undefined }
      : quotes.read(quoteId, quoted);
  if (amount <= fee) throw withdrawalErrors.AMOUNT_BELOW_FEE({ currencyId, fee: formatUnits(fee) });
  const { rate, isPriced } = rateOf(deps, currencyId);
  return { ...method, withdrawalId, amount, fee, usdAmount: currencyToUsdDown(amount, rate), rate, isPriced };
}

/** Throws 409 WITHDRAW_DISABLED while withdrawals are disabled, or 400 AMOUNT_OUT_OF_RANGE if the amount is below the minimum. */
export function assertPayable(deps: WithdrawalDeps, order: Priced): void {
  if (!isPayable(deps, order)) throw gateErrors.WITHDRAW_DISABLED();
  const min = minimumFor(deps, order);
  if (order.amount < min)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId: order.currency.id, min: formatUnits(min) });
}

type Minimum = { minWithdraw: Units; minUsd: Units; rate: Rate; isPriced: boolean };

/**
 * Returns the larger of the network's minimum and the site's minimum. The site's minimum is defined in US dollars, and its value in the
 * currency is rounded up to the smallest unit.
 */
export function minimumOf({ minWithdraw, minUsd, rate, isPriced }: Minimum): Units {
  if (!isPriced || minUsd === 0n) return minWithdraw;
  const scaled = minUsd * RATE_SCALE;
  const bySite = (scaled + rate - 1n) / rate;
  return bySite > minWithdraw ? bySite : minWithdraw;
}
const RATE_SCALE = 10_000n * ONE;
