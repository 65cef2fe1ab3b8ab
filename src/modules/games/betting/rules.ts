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

/** What a bet was made on: fixed when it is made, in force until it ends. */
export type Terms = {
  /** The (first) stake: US dollars as the player entered them, and units of the currency. */
  betUsd: Units;
  stake: Units;
  /** The one stored on the bet. */
  rate: Rate;
  /** Of the currency. */
  decimals: number;
  maxProfitUsd: Units;
};

/** An amount in US dollars as the player entered them, and in the currency of the bet. */
export type Money = { usd: Units; units: Units };

/** Units that move, and the US dollars that they count as. */
export type Moved = { units: Units; countedUsd: Units };

/** Total return as an exact fraction, multiplier / scale (19_800n over 10_000n is 1.98); 0n for a loss. */
export type Return = { multiplier: bigint; scale: bigint };

/** What a payout is made of. */
export type Payable = Terms & Return;

/** What is credited, and what is answered: in the terms of betAmount, which is not what it counts as. */
export type Paid = { payout: Units; payoutUsd: Units };

/** The next number of a bet's random stream, from u[0] on: an integer from 0 to 2^32 − 1. */
export type Next = () => number;

/**
 * What one request does to a round (mines, monkey-run, blackjack). Pure rules answer it, the settlement carries it out under the
 * player's lock. `state` is JSON and lies in the database while the round is open: it holds what was played and shown so far, and
 * nothing that is still hidden.
 */
export type Turn<S> = {
  state: S;
  /** New money beyond what is staked: asked of the gate and taken. */
  stake?: Money | undefined;
  /** New money that must be there without being taken (as much as `stake` where both are given). */
  needs?: Money | undefined;
  /** The round is over. `inputs`: all that the player decided; `outcome`: all that chance did and what came of it. */
  end?: { inputs: object; outcome: object; paid: Paid } | 'void' | undefined;
};

/**
 * What a bet pays in the currency (credited) and in the terms of its betAmount (answered): each the exact product
 * rounded down once, at the currency's decimals and at `usdDecimals`, then cut so that the profit stays within
 * maxProfitUsd.
 */
export function payoutsOf(bet: Payable): Paid {
  const { betUsd, stake, multiplier, scale, rate, decimals, maxProfitUsd } = bet;
  const payout = roundDown(mulDivDown(stake, multiplier, scale), decimals);
  const payoutUsd = roundDown(mulDivDown(betUsd, multiplier, scale), usdDecimals(decimals));
  return cappedPaid({ payout, payoutUsd }, { usd: betUsd, units: stake }, { rate, decimals, maxProfitUsd });
}

/** What is paid, cut so that the profit over everything staked stays within maxProfitUsd, in either of its terms. */
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

/** What is debited for a bet of betUsd: floor(betUsd / rate) at the currency's decimals. 0n must be refused. */
export function stakeOf(betUsd: Units, rate: Rate, decimals: number): Units {
  return usdToCurrencyDown(betUsd, rate, decimals);
}

/**
 * What units of a bet count as in US dollars, for limits, statistics, turnover and every sum: floor(units × rate) at 8 decimals. What
 * the player asked for before it was rounded counts for nothing.
 */
export function countedUsdOf(units: Units, rate: Rate): Units {
  return currencyToUsdDown(units, rate);
}

/** The range of a stake: of the game in US dollars, and the least that may be staked in the currency. */
export type Range = Pick<Terms, 'rate' | 'decimals'> & {
  currencyId: string;
  minStake: Units;
  minBet: Units;
  maxBet: Units;
};

/** A range as it is shown; `minBet` is the least betAmount that is both. */
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

/** Whether an amount lies in the range, and its stake is not less than the currency's least. */
export const isInRange = ({ usd, units }: Money, { minBet, maxBet, minStake }: Range): boolean =>
  usd >= minBet && usd <= maxBet && units >= minStake && units > 0n;

/** More than any limit allows, whatever it is. */
const TOO_MUCH: Money = { usd: MAX_UNITS, units: 0n };

/**
 * An amount of dollars that a player entered in the field `path`, with its stake, and the refusal when it is out of range. Throws
 * 400 VALIDATION_FAILED for nothing at all or more decimals than the currency has.
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

/** How many decimals the dollar amounts of a bet may have, and its payout has, when its currency has `decimals`. */
export function usdDecimals(decimals: number): number {
  return Math.max(2, decimals);
}

function capped(payout: Units, stake: Units, maxProfit: Units): Units {
  const most = stake + maxProfit;
  return payout > most ? most : payout;
}
