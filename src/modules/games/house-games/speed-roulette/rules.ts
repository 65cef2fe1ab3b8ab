import { roundDown, type Units, usdToCurrencyDown } from '../../../../platform/money.ts';
import {
  countedUsdOf,
  type Next,
  type Paid,
  payoutsOf,
  type Terms,
  usdDecimals,
} from '../../betting/rules.ts';
import { pick } from '../../fairness/rules.ts';
import type { Replayed, StoredBet } from '../rules.ts';

/** In display order. */
export const COLORS = ['RED', 'BLACK', 'GREEN'] as const;
export type Color = (typeof COLORS)[number];

export const POSITIONS = 15;
const REDS = 7;
const PAYS: Readonly<Record<Color, bigint>> = { RED: 2n, BLACK: 2n, GREEN: 14n };

/** Returns the wheel's position, 0 to 14, for the first number of a round's stream. */
export const positionOf = (u0: number): number => pick(u0, POSITIONS);

/** Returns the colour of a position: 0 is GREEN, 1 to 7 RED, 8 to 14 BLACK. */
export function colorOf(position: number): Color {
  if (position === 0) return 'GREEN';
  return position <= REDS ? 'RED' : 'BLACK';
}

/** Returns the multiplier of a bet on a colour when the wheel stops at a position: 2, 14 or 0. */
export const multiplierOf = (color: Color, position: number): bigint =>
  color === colorOf(position) ? PAYS[color] : 0n;

export const isColor = (value: unknown): value is Color => COLORS.some((color) => color === value);

/** The random outcome of a round, shared by all players' bets. */
export type Outcome = { position: number; color: Color };
export const outcomeAt = (position: number): Outcome => ({ position, color: colorOf(position) });

/**
 * Replays a stored bet from the stream of its round. The payout assumes that the player has no other bet in the round, because maxProfit
 * limits all bets of a round together (`payRound`).
 */
export function replaySpeedRoulette({ inputs }: StoredBet, next: Next): Replayed | undefined {
  const { color } = (inputs ?? {}) as { color?: unknown };
  if (!isColor(color)) return undefined;
  const position = positionOf(next());
  const multiplier = multiplierOf(color, position);
  return {
    outcome: outcomeAt(position),
    pay: (terms) => payoutsOf({ ...terms, multiplier, scale: 1n }),
  };
}

/** A bet in a round. A bet without a colour always loses. */
export type RoundBet = Pick<Terms, 'stake' | 'rate' | 'decimals'> & {
  currencyId: string;
  color: unknown;
  /** The stake's value in US dollars. */
  stakedUsd: Units;
  /**
   * True for an old bet that is valued at the dollar amount that the player entered instead of the debited amount. Its payout is computed
   * in dollars (decision 038).
   */
  isByWish: boolean;
};

type Sums = { staked: Units; stakedUsd: Units; paid: Units; paidUsd: Units };
const noSums = (): Sums => ({ staked: 0n, stakedUsd: 0n, paid: 0n, paidUsd: 0n });

/**
 * Returns the payouts of all bets of one player in one round, in the order of the bets. payoutUsd is the payout's value in US dollars. The
 * total profit does not exceed maxProfitUsd; any excess is deducted from the bets, starting with the last one. The payout limit in a
 * currency is the sum of the stakes in that currency plus maxProfitUsd / rate, rounded down to the currency's decimals. Bets in other
 * currencies, or at another rate, count towards the limit at their dollar value.
 */
export function payRound(bets: readonly RoundBet[], position: number, maxProfitUsd: Units): Paid[] {
  const groups = new Map<string, Sums>();
  const all = noSums();
  for (const bet of bets) {
    const own = groups.get(groupOf(bet)) ?? noSums();
    groups.set(groupOf(bet), own);
    own.staked += bet.stake;
    own.stakedUsd += bet.stakedUsd;
    all.stakedUsd += bet.stakedUsd;
  }
  return bets.map((bet) => {
    const own = groups.get(groupOf(bet))!;
    const multiplier = isColor(bet.color) ? multiplierOf(bet.color, position) : 0n;
    const leftUsd = roundDown(all.stakedUsd + maxProfitUsd - all.paidUsd, usdDecimals(bet.decimals));
    const ofOthers = maxProfitUsd + (all.stakedUsd - own.stakedUsd) - (all.paidUsd - own.paidUsd);
    const left = own.staked - own.paid + inCurrencyDown(ofOthers, bet);
    const payout = within(bet.stake * multiplier, left);
    const payoutUsd = bet.isByWish
      ? within(bet.stakedUsd * multiplier, leftUsd)
      : countedUsdOf(payout, bet.rate);
    own.paid += payout;
    own.paidUsd += payoutUsd;
    all.paidUsd += payoutUsd;
    return { payout, payoutUsd };
  });
}

/**
 * Returns true if maxProfitUsd would limit a player's win on at least one colour. `staked`: the player's stakes by colour in US dollars.
 */
export function canBeCut(staked: Readonly<Partial<Record<Color, Units>>>, maxProfitUsd: Units): boolean {
  const total = COLORS.reduce((sum, color) => sum + (staked[color] ?? 0n), 0n);
  return COLORS.some((color) => (staked[color] ?? 0n) * PAYS[color] > total + maxProfitUsd);
}

const groupOf = ({ currencyId, rate }: RoundBet): string => `${currencyId}:${rate}`;

/** Converts US dollars to the currency of the bet, rounded down even for negative amounts. */
function inCurrencyDown(usd: Units, { rate, decimals }: RoundBet): Units {
  if (usd >= 0n) return usdToCurrencyDown(usd, rate, decimals);
  return -usdToCurrencyDown(-usd, rate, decimals) - 10n ** BigInt(8 - decimals);
}

function within(payout: Units, left: Units): Units {
  if (left <= 0n) return 0n;
  return payout > left ? left : payout;
}
