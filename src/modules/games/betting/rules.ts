import { type AppError, commonErrors } from '../../../platform/errors.ts';
import {
  currencyToUsdDown,
  currencyToUsdUp,
  formatUnits,
  isTooMuch,
  MAX_UNITS,
  mulDivDown,
  parseUnits,
  type Rate,
  roundDown,
  type Units,
  usdToCurrencyDown,
} from '../../../platform/money.ts';
import type { Risk } from '../../money/bonus/rules.ts';

/** The terms of a bet, fixed when it is placed. */
export type Terms = {
  /** The stake, or the first one if there are several: in US dollars as the player entered it, and in units of the currency. */
  betUsd: Units;
  stake: Units;
  /** The rate stored with the bet. */
  rate: Rate;
  /** The number of decimals of the currency. */
  decimals: number;
  maxProfitUsd: Units;
};

/** An amount in US dollars as the player entered it, and in the currency of the bet. */
export type Money = { usd: Units; units: Units };

/** An amount that moves, in units, and its value in US dollars. */
export type Moved = { units: Units; countedUsd: Units };

/** Total return as an exact fraction, multiplier / scale (19_800n over 10_000n is 1.98); 0n for a loss. */
export type Return = { multiplier: bigint; scale: bigint };

/**
 * `payout` is the credited amount. `payoutUsd` is the amount in the response, in US dollars like betAmount. It can differ from the
 * counted value.
 */
export type Paid = { payout: Units; payoutUsd: Units };

/** Returns the next number of a bet's random stream, from u[0] on: an integer from 0 to 2^32 − 1. */
export type Next = () => number;

/**
 * The end of a round. `inputs`: all decisions of the player. `outcome`: all random results and their consequences. `undecided`: the pushed
 * part of the stakes, in units of the currency (bets/rules.ts). `risk`: the player's risk.
 */
export type End = {
  inputs: object;
  outcome: object;
  paid: Paid;
  undecided?: Units | undefined;
  risk?: (() => Risk) | undefined;
};

/**
 * The effect of one request on a round (mines, monkey-run, blackjack). Pure functions compute the effect, and the settlement applies it
 * under the player's lock. `state` is JSON that is stored while the round is open. It contains only the revealed part of the round.
 */
export type Turn<S> = {
  state: S;
  /** An additional stake, which must pass the gate. */
  stake?: Money | undefined;
  /** An amount that the player's balance must cover, although it is not staked. Equal to `stake` if both are set. */
  needs?: Money | undefined;
  /** Set if the round has ended. */
  end?: End | 'void' | undefined;
};

/**
 * Returns the payout of a bet in its currency, which is credited, and in US dollars, which is returned in the response. Each is the exact
 * product, rounded down once to the currency's decimals or to `usdDecimals`, and limited so that the profit stays within maxProfitUsd.
 */
export function payoutsOf(bet: Terms & Return): Paid {
  const { betUsd, stake, multiplier, scale, rate, decimals, maxProfitUsd } = bet;
  const payout = roundDown(mulDivDown(stake, multiplier, scale), decimals);
  const payoutUsd = roundDown(mulDivDown(betUsd, multiplier, scale), usdDecimals(decimals));
  return cappedPaid({ payout, payoutUsd }, { usd: betUsd, units: stake }, { rate, decimals, maxProfitUsd });
}

/** Caps a payout so that the profit over all stakes stays within maxProfitUsd, both in the bet's currency and in US dollars. */
export function cappedPaid(
  { payout, payoutUsd }: Paid,
  staked: Money,
  { rate, decimals, maxProfitUsd }: Pick<Terms, 'rate' | 'decimals' | 'maxProfitUsd'>,
): Paid {
  return {
    payout: capped(payout, staked.units, usdToCurrencyDown(maxProfitUsd, rate, decimals)),
    payoutUsd: capped(payoutUsd, staked.usd, roundDown(maxProfitUsd, usdDecimals(decimals))),
  };
}

/** Returns the debited stake of a bet: floor(betUsd / rate) with the currency's decimals. The caller must reject 0n. */
export function stakeOf(betUsd: Units, rate: Rate, decimals: number): Units {
  return usdToCurrencyDown(betUsd, rate, decimals);
}

/**
 * Returns the value of a bet's units in US dollars for limits, statistics, wagering and every sum: floor(units × rate) with 8 decimals.
 * Never use the requested amount instead, because the debited amount is rounded down and can be lower.
 */
export function countedUsdOf(units: Units, rate: Rate): Units {
  return currencyToUsdDown(units, rate);
}

/** The range of a stake: the game's limits in US dollars, and the minimum stake in the currency. */
export type Range = Pick<Terms, 'rate' | 'decimals'> & {
  currencyId: string;
  minStake: Units;
  minBet: Units;
  maxBet: Units;
};

/** Formats a range. `minBet` is the smallest betAmount that satisfies both minimums. */
export function shownRange({ currencyId, rate, decimals, minStake, minBet, maxBet }: Range) {
  const digits = usdDecimals(decimals);
  const least = currencyToUsdUp(minStake, rate, digits);
  return {
    currencyId,
    minBet: formatUnits(least > minBet ? least : minBet),
    maxBet: formatUnits(maxBet),
    minStake: formatUnits(minStake),
  };
}

/** Returns true if an amount is in the range and its stake reaches the currency's minimum. */
export const isInRange = ({ usd, units }: Money, { minBet, maxBet, minStake }: Range): boolean =>
  usd >= minBet && usd <= maxBet && units >= minStake && units > 0n;

/** An amount above every limit. */
const TOO_MUCH: Money = { usd: MAX_UNITS, units: 0n };

/**
 * Parses an amount in US dollars from the field `path`. Returns the amount with its stake, and with an error if the amount is out of range.
 * Throws 400 VALIDATION_FAILED for zero and for more decimals than the currency has.
 */
export function stakeIn(
  path: string,
  amount: string,
  range: Range,
): Money & { refusal: AppError | undefined } {
  const { rate, decimals } = range;
  const outOfRange = () => commonErrors.AMOUNT_OUT_OF_RANGE(shownRange(range));
  const digits = usdDecimals(decimals);
  if (isTooMuch(amount, digits)) return { ...TOO_MUCH, refusal: outOfRange() };
  const usd = parseUnits(amount, digits);
  if (usd === undefined || usd === 0n) {
    const message = `needs to be above zero with at most ${digits} decimals`;
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path, message }] });
  }
  const units = stakeOf(usd, rate, decimals);
  return { usd, units, refusal: isInRange({ usd, units }, range) ? undefined : outOfRange() };
}

/** Converts an RTP in percent with at most two decimals to basis points. */
export const basisPoints = (rtp: number): number => Math.round(rtp * 100);

/**
 * Converts a number with at most two decimals (in its shortest decimal form) to hundredths. Returns undefined for any other number. The
 * product is not exact: 1.1 * 100 is 110.00000000000001. Only the integer nearest to the product can be the result. That integer / 100 is
 * the double nearest to the decimal, so comparing it with the number is exact.
 */
export function hundredths(value: number): number | undefined {
  const candidate = Math.round(value * 100);
  return Number.isSafeInteger(candidate) && candidate / 100 === value ? candidate : undefined;
}

/** Returns the number of decimals of a bet's amounts in US dollars, for a currency with `decimals` decimals. */
export function usdDecimals(decimals: number): number {
  return Math.max(2, decimals);
}

function capped(payout: Units, stake: Units, maxProfit: Units): Units {
  const most = stake + maxProfit;
  return payout > most ? most : payout;
}
