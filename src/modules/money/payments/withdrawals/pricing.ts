import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import {
  currencyToUsdDown,
  formatRate,
  formatUnits,
  ONE,
  parseUnits,
  type Rate,
  type Units,
  units,
} from '../../../../platform/money.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { WithdrawalDeps } from '../deps.ts';
import { type Method, methodOf } from '../methods.ts';
import { withdrawalErrors } from './errors.ts';
import type { EstimateRequest, WithdrawEstimate } from './schemas.ts';

type Order = { currencyId: string; networkId: string; amount: string };
export type Terms = ReturnType<typeof createTerms>;

/** An amount with its fee and value. `isPriced` false: the rate is too old to rely on `usdAmount`. */
export type Priced = Method & {
  amount: Units;
  fee: Units;
  usdAmount: Units;
  rate: Rate;
  isPriced: boolean;
};

type TermsDeps = WithdrawalDeps & { quotes: Quotes };

/** The fee, the value and the minimum of withdrawals, from currencies and settings in memory. */
export function createTerms({ currencies, siteConfig, providers, quotes }: TermsDeps) {
  const rateOf = (currencyId: string) => {
    const { rate, stale } = currencies.rateOf(currencyId);
    return { rate, isPriced: !stale && rate > 0n };
  };
  return {
    /** The value of an amount in dollars; null: there is no fresh rate. */
    usdOf(currencyId: string, amount: Units): Units | null {
      const { rate, isPriced } = rateOf(currencyId);
      return isPriced ? currencyToUsdDown(amount, rate) : null;
    },

    isOpen: ({ network }: Pick<Method, 'network'>) =>
      providers.active !== undefined && network.withdrawEnabled,

    /** The smallest withdrawal of a currency on a network. */
    minimum({ currency, network }: Method): Units {
      const minUsd = units(siteConfig.get('WITHDRAWALS').minUsd);
      return minimumOf({ minWithdraw: network.minWithdraw, minUsd, ...rateOf(currency.id) });
    },

    /**
     * Prices an order. Throws 404 PAYMENT_METHOD_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE for zero or too many decimals, 409 QUOTE_EXPIRED,
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

    /** Throws 409 WITHDRAW_DISABLED where payouts are closed, 400 AMOUNT_OUT_OF_RANGE below the minimum. */
    assertPayable(order: Priced): void {
      if (!this.isOpen(order)) throw gateErrors.WITHDRAW_DISABLED();
      const min = this.minimum(order);
      if (order.amount < min)
        throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId: order.currency.id, min: formatUnits(min) });
    },
  };
}

type Minimum = { minWithdraw: Units; minUsd: Units; rate: Rate; isPriced: boolean };

/** The smallest withdrawal: the minimum of the network, or that of the site in dollars where it is higher, rounded up to a unit. */
export function minimumOf({ minWithdraw, minUsd, rate, isPriced }: Minimum): Units {
  if (!isPriced || minUsd === 0n) return minWithdraw;
  const scaled = minUsd * RATE_SCALE;
  const bySite = (scaled + rate - 1n) / rate;
  return bySite > minWithdraw ? bySite : minWithdraw;
}
const RATE_SCALE = 10_000n * ONE;

/** What a quote is for. */
type Quoted = { userId: number; currencyId: string; networkId: string; amount: Units };
type Quotes = ReturnType<typeof createQuotes>;

const QUOTE_LIFE_MS = 60_000;

/** Quotes fix the fee for a minute. They are not stored but encrypted and authenticated, so that nobody can forge one. */
export function createQuotes({ config, clock }: WithdrawalDeps) {
  const encryption = createEncryption(config.DATA_SECRET, 'withdrawal quotes');
  const factsOf = (q: Quoted) => [q.userId, q.currencyId, q.networkId, String(q.amount)];
  return {
    make(quoted: Quoted, fee: Units): { quoteId: string; expiresAt: Date } {
      const expiresAt = clock.now() + QUOTE_LIFE_MS;
      const text = JSON.stringify([...factsOf(quoted), String(fee), expiresAt]);
      return {
        quoteId: encryption.seal(Buffer.from(text)).toString('base64url'),
        expiresAt: new Date(expiresAt),
      };
    },

    /** The fee that a quote fixes. Throws 409 QUOTE_EXPIRED when it has expired, or is for another order. */
    feeOf(quoteId: string, quoted: Quoted): Units {
      const [userId, currencyId, networkId, amount, fee, expiresAt] = open(quoteId) ?? [];
      const facts = [userId, currencyId, networkId, amount];
      const isSame = factsOf(quoted).every((fact, i) => fact === facts[i]);
      if (!isSame || Number(expiresAt) <= clock.now()) throw withdrawalErrors.QUOTE_EXPIRED();
      return BigInt(fee as string);
    },
  };

  function open(quoteId: string): unknown[] | undefined {
    try {
      return JSON.parse(encryption.open(Buffer.from(quoteId, 'base64url')).toString()) as unknown[];
    } catch {
      return undefined;
    }
  }
}

/**
 * What the recipient gets of an amount and what it costs; `quoteId` fixes the fee for a minute. Throws 404 PAYMENT_METHOD_NOT_FOUND, 400
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
