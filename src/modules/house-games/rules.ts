import { mulDivDown, type Rate, roundDown, type Units, usdToCurrencyDown } from '../../platform/money.ts';

/** What a payout is made of; `decimals` are the currency's, `rate` is the one stored on the bet. */
export type Payable = {
  betUsd: Units;
  stake: Units;
  /** Total return as an exact fraction, multiplier / scale (19_800n over 10_000n is 1.98); 0n for a loss. */
  multiplier: bigint;
  scale: bigint;
  rate: Rate;
  decimals: number;
  maxProfitUsd: Units;
};

/**
 * What a bet pays in the currency (credited) and in the terms of its betAmount (answered): each the exact product
 * rounded down once, at the currency's decimals and at `usdDecimals`, then cut so that the profit stays within
 * maxProfitUsd.
 */
export function payoutsOf(bet: Payable): { payout: Units; payoutUsd: Units } {
  const { betUsd, stake, multiplier, scale, rate, decimals, maxProfitUsd } = bet;
  const payout = roundDown(mulDivDown(stake, multiplier, scale), decimals);
  const payoutUsd = roundDown(mulDivDown(betUsd, multiplier, scale), usdDecimals(decimals));
  return {
    payout: capped(payout, stake, usdToCurrencyDown(maxProfitUsd, rate, decimals)),
    payoutUsd: capped(payoutUsd, betUsd, roundDown(maxProfitUsd, usdDecimals(decimals))),
  };
}

/** What is debited for a bet of betUsd: floor(betUsd / rate) at the currency's decimals. 0n must be refused. */
export function stakeOf(betUsd: Units, rate: Rate, decimals: number): Units {
  return usdToCurrencyDown(betUsd, rate, decimals);
}

/** How many decimals the dollar amounts of a bet may have, and its payout has, when its currency has `decimals`. */
export function usdDecimals(decimals: number): number {
  return Math.max(2, decimals);
}

/**
 * A number of a request with at most two decimals (in its shortest decimal form), in hundredths; undefined for any
 * other number. The product alone would not do: 1.1 * 100 is 110.00000000000001. Its nearest integer is the only
 * candidate, and a quotient is the double nearest to the decimal, so comparing it is exact.
 */
export function hundredths(value: number): number | undefined {
  const candidate = Math.round(value * 100);
  return Number.isSafeInteger(candidate) && candidate / 100 === value ? candidate : undefined;
}

function capped(payout: Units, stake: Units, maxProfit: Units): Units {
  const most = stake + maxProfit;
  return payout > most ? most : payout;
}
