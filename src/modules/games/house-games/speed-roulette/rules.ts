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

/** In the order in which they are shown. */
export const COLORS = ['RED', 'BLACK', 'GREEN'] as const;
export type Color = (typeof COLORS)[number];

export const POSITIONS = 15;
const REDS = 7;
const PAYS: Readonly<Record<Color, bigint>> = { RED: 2n, BLACK: 2n, GREEN: 14n };

/** Where the wheel stops on the first number of a round's stream: 0 to 14. */
export const positionOf = (u0: number): number => pick(u0, POSITIONS);

/** 0 GREEN, 1 to 7 RED, 8 to 14 BLACK. */
export function colorOf(position: number): Color {
  if (position === 0) return 'GREEN';
  return position <= REDS ? 'RED' : 'BLACK';
}

/** What a bet on a colour pays in total when the wheel stops at a position: 2, 14 or nothing. */
export const multiplierOf = (color: Color, position: number): bigint =>
  color === colorOf(position) ? PAYS[color] : 0n;

export const isColor = (value: unknown): value is Color => COLORS.some((color) => color === value);

/** What chance decided for everybody's bets of a round. */
export type Outcome = { position: number; color: Color };
export const outcomeAt = (position: number): Outcome => ({ position, color: colorOf(position) });

/**
 * A stored bet played again from the stream of its round. What it pays is what it pays when it was the player's only one in the
 * round: maxProfit counts over all of them (`payRound`).
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

/** A bet of a round; one without a colour wins nothing. */
export type RoundBet = Pick<Terms, 'stake' | 'rate' | 'decimals'> & {
  currencyId: string;
  color: unknown;
  /** What its stake counts as. */
  stakedUsd: Units;
  /** An early bet that counts by the dollars that the player entered, not by what moved: it pays in dollars (decision 038). */
  isByWish: boolean;
};

type Sums = { staked: Units; stakedUsd: Units; paid: Units; paidUsd: Units };
const noSums = (): Sums => ({ staked: 0n, stakedUsd: 0n, paid: 0n, paidUsd: 0n });

/**
 * What all bets of one player in one round pay, in the order in which they made them; payoutUsd is what the payout counts as. The
 * profit over all of them stays within maxProfitUsd: what is above it is cut from the last bet backwards. In a currency the limit is
 * the stakes in it and floor(maxProfitUsd / rate) at its decimals; bets in other currencies, or at another rate, count by their dollars.
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

/** Whether maxProfitUsd would cut a player's win on some colour. `staked`: their stakes by colour in US dollars. */
export function canBeCut(staked: Readonly<Partial<Record<Color, Units>>>, maxProfitUsd: Units): boolean {
  const total = COLORS.reduce((sum, color) => sum + (staked[color] ?? 0n), 0n);
  return COLORS.some((color) => (staked[color] ?? 0n) * PAYS[color] > total + maxProfitUsd);
}

const groupOf = ({ currencyId, rate }: RoundBet): string => `${currencyId}:${rate}`;

/** Rounded towards less, also below zero. */
function inCurrencyDown(usd: Units, { rate, decimals }: RoundBet): Units {
  if (usd >= 0n) return usdToCurrencyDown(usd, rate, decimals);
  return -usdToCurrencyDown(-usd, rate, decimals) - 10n ** BigInt(8 - decimals);
}

function within(payout: Units, left: Units): Units {
  if (left <= 0n) return 0n;
  return payout > left ? left : payout;
}
