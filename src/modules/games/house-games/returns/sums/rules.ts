import type { Units } from '../../../../../platform/money.ts';
import { type Color, canBeCut } from '../../speed-roulette/rules.ts';
import { type PlayedBet, theoryOf } from '../rules.ts';

/** From the first moment on, to before the last. */
export type Period = { from: Date; until: Date };

/** What bets come to: money in units of a US dollar, theory in dollars. */
export type Sums = {
  bets: bigint;
  staked: Units;
  paid: Units;
  /** Paid in dollars as theory counts it: what maxProfit has cut off rounds of many steps is in it. */
  counted: number;
  expected: number;
  variance: number;
  /** Bets that maxProfit can cut, and bets that no theory is known for: in none of the above. */
  apartBets: bigint;
  apartStaked: Units;
  apartPaid: Units;
};

/** Settled bets as the database has them, `bets` of them with the same stake each; `paid` is what they paid together. */
export type SettledBets = Omit<PlayedBet, 'stake' | 'rtpBp'> & {
  bets: number;
  rtpBp: number | null;
  stake: Units;
  paid: Units;
  maxProfit: Units | null;
  /** Of a bet in a round that all share: what its player staked in it by colours, this bet's own stake too. */
  ofRound?: Share['staked'] | undefined;
};

/** Of a player in a shared round: what they staked by colours in US dollars, and the limit of their profit. */
export type Share = { staked: Readonly<Partial<Record<Color, Units>>>; maxProfit: Units | null };

export const noSums = (): Sums => ({
  bets: 0n,
  staked: 0n,
  paid: 0n,
  counted: 0,
  expected: 0,
  variance: 0,
  apartBets: 0n,
  apartStaked: 0n,
  apartPaid: 0n,
});

/** `sign` -1: b is reversed. Of doubles no more than their rounding error remains. */
export function addSums(a: Sums, b: Sums, sign: 1 | -1 = 1): Sums {
  const exact = BigInt(sign);
  return {
    bets: a.bets + exact * b.bets,
    staked: a.staked + exact * b.staked,
    paid: a.paid + exact * b.paid,
    counted: a.counted + sign * b.counted,
    expected: a.expected + sign * b.expected,
    variance: a.variance + sign * b.variance,
    apartBets: a.apartBets + exact * b.apartBets,
    apartStaked: a.apartStaked + exact * b.apartStaked,
    apartPaid: a.apartPaid + exact * b.apartPaid,
  };
}

/**
 * What they add. A bet stands apart when maxProfit cuts the most that was to be won when it was made, whether it won or not: to leave
 * out the wins that were cut and keep the losses of the same bets would tilt the rest. In a shared round maxProfit is for all bets
 * of a player together, and so they stand apart together.
 */
export function sumsOf(settled: SettledBets): Sums {
  const { stake, paid, maxProfit, rtpBp, ofRound } = settled;
  const theory = rtpBp === null ? undefined : theoryOf({ ...settled, rtpBp, stake: Number(stake) / 1e8 });
  const isAbove = (limit: Units) =>
    ofRound ? canBeCut(ofRound, limit) : theory && theory.most > Number(limit) / 1e8;
  const isCut = maxProfit !== null && isAbove(maxProfit);
  const bets = BigInt(settled.bets);
  const staked = bets * stake;
  if (!theory || isCut) return { ...noSums(), apartBets: bets, apartStaked: staked, apartPaid: paid };
  const { expected, variance, counted } = theory;
  return {
    ...noSums(),
    bets,
    staked,
    paid,
    counted: counted === undefined ? Number(paid) / 1e8 : settled.bets * counted,
    expected: settled.bets * expected,
    variance: settled.bets * variance,
  };
}

/**
 * What is staked on each colour of a shared round in dollars, by the players whose bets in it do not stand apart: the variance is of
 * what is counted, and next to somebody's thousands on red that are not, a dollar on black would have a negative one.
 */
export function stakedTogether(shares: Iterable<Share>): Record<string, number> {
  const together: Record<string, number> = {};
  for (const { staked, maxProfit } of shares) {
    if (maxProfit !== null && canBeCut(staked, maxProfit)) continue;
    for (const [color, usd] of Object.entries(staked))
      together[color] = (together[color] ?? 0) + Number(usd) / 1e8;
  }
  return together;
}

/** Bounds of the return in percent within which so many standard errors lie. */
export type Band = { actual: number; low: number; high: number };

/** 95 %, and 99.9 % on both sides together. */
export const NORMAL = 1.96;
export const FAR = 3.29;

/** Undefined when nothing was staked. `best`: what the expected return is multiplied by (1: as theory says). */
export function bandOf(sums: Sums, errors: number, best = 1): Band | undefined {
  if (sums.staked === 0n) return undefined;
  const staked = Number(sums.staked) / 1e8;
  const expected = (sums.expected * best) / staked;
  // Bets of a part of a round, or of all colours at once, may have a variance just below nothing.
  const error = Math.sqrt(Math.max(0, sums.variance)) / staked;
  return {
    actual: (100 * sums.counted) / staked,
    low: 100 * (expected - errors * error),
    high: 100 * (expected + errors * error),
  };
}
