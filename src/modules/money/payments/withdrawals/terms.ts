import { commonErrors } from '../../../../platform/errors.ts';
import {
  currencyToUsdDown,
  formatUnits,
  parseUnits,
  type Rate,
  type Units,
  units,
} from '../../../../platform/money.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { Currencies } from '../../currencies/service.ts';
import { type Method, methodOf } from '../methods.ts';
import { withdrawalErrors } from './errors.ts';
import type { Quotes } from './quote.ts';
import { minimumOf } from './rules.ts';

export type Order = { currencyId: string; networkId: string; amount: string };
export type Terms = ReturnType<typeof createTerms>;

/** An amount on a network, and what it comes to. `isPriced` false: the rate is too old to say what it is worth. */
export type Priced = Method & {
  amount: Units;
  fee: Units;
  usdAmount: Units;
  rate: Rate;
  isPriced: boolean;
};

/** What a withdrawal costs and what it may be, from memory. */
export function createTerms(parts: {
  currencies: Currencies;
  siteConfig: SiteConfig;
  quotes: Quotes;
  /** Whether there is somebody who pays out. */
  hasProvider: boolean;
}) {
  const { currencies, siteConfig, quotes, hasProvider } = parts;
  const rateOf = (currencyId: string) => {
    const { rate, stale } = currencies.rateOf(currencyId);
    return { rate, isPriced: !stale && rate > 0n };
  };
  return {
    /** What an amount is worth in dollars; null: there is no rate to trust. */
    usdOf(currencyId: string, amount: Units): Units | null {
      const { rate, isPriced } = rateOf(currencyId);
      return isPriced ? currencyToUsdDown(amount, rate) : null;
    },

    isOpen: ({ network }: Pick<Method, 'network'>) => hasProvider && network.withdrawEnabled,

    /** The least of a currency on a network. */
    minimum({ currency, network }: Method): Units {
      const minUsd = units(siteConfig.get('WITHDRAWALS').minUsd);
      return minimumOf({ minWithdraw: network.minWithdraw, minUsd, ...rateOf(currency.id) });
    },

    /**
     * Reads an order: 404 PAYMENT_METHOD_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE for what the currency cannot express, 409 QUOTE_EXPIRED,
     * 400 AMOUNT_BELOW_FEE.
     */
    price({ currencyId, networkId, amount: text }: Order, userId: number, quoteId?: string): Priced {
      const method = methodOf(currencies, currencyId, networkId);
      const { decimals } = method.currency;
      const amount = parseUnits(text, decimals);
      if (amount === undefined || amount === 0n)
        throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
      const quoted = { userId, currencyId, networkId, amount };
      const fee = quoteId === undefined ? method.network.withdrawFee : quotes.feeOf(quoteId, quoted);
      if (amount <= fee) throw withdrawalErrors.AMOUNT_BELOW_FEE({ currencyId, fee: formatUnits(fee) });
      const { rate, isPriced } = rateOf(currencyId);
      return { ...method, amount, fee, usdAmount: currencyToUsdDown(amount, rate), rate, isPriced };
    },

    /** Throws 409 WITHDRAW_DISABLED where nothing is paid out, 400 AMOUNT_OUT_OF_RANGE below the least. */
    assertPayable(order: Priced): void {
      if (!this.isOpen(order)) throw gateErrors.WITHDRAW_DISABLED();
      const min = this.minimum(order);
      if (order.amount < min)
        throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId: order.currency.id, min: formatUnits(min) });
    },
  };
}
