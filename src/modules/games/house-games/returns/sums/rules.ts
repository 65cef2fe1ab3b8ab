import type { Units } from '../../../../../platform/money.ts';
import { type Color, canBeCut } from '../../speed-roulette/rules.ts';
import { type PlayedBet, theoryOf } from '../rules.ts';

/** From `from` on, before `until`. */
export type Period = { from: Date; until: Date };

/** Sums over bets: money in units of a US dollar, theory in dollars. */
export type Sums = {
  bets: bigint;
  staked: Units;
  paid: Units;
  /** Paid, in dollars, as theory counts it: in rounds of many steps without the cut of maxProfit. */
  counted: number;
  expected: number;
  variance: number;
  /** Bets that stand apart: maxProfit can cut them, or there is no theory for them. The sums above leave them out. */
  apartBets: bigint;
  apartStaked: Units;
  apartPaid: Units;
};

/** A number of settled bets with the same stake each; `paid` is what all of them paid. */
export type SettledBets = Omit<PlayedBet, 'stake' | 'rtpBp'> & {
  bets: number;
  rtpBp: number | null;
  stake: Units;
  paid: Units;
  maxProfit: Units | null;
  /** Of a bet in a shared round: all stakes of its player in that round, by colour. */
  ofRound?: Share['staked'] | undefined;
};

/** A player in a shared round: their stakes by colour in US dollars, and the limit of their profit. */
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

/** `sign` -1 subtracts b: what is exact comes back to what it was, a double but for its rounding error. */
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
 * The sums of these bets. A bet stands apart when maxProfit would cut its highest win, whether it won or not: leaving out the wins that
 * were cut but keeping the losses of such bets would bias the rest. In a shared round maxProfit limits all bets of a player together,
 * so they stand apart together.
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
 * Stakes on each colour of a shared round in dollars, by the players whose bets do not stand apart. Others must not be in it: the
 * variance is that of the counted bets, and thousands on red that are not counted would make that of a dollar on black negative.
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

/** The return in percent, and the bounds that lie some standard errors below and above what it should be. */
export type Band = { actual: number; low: number; high: number };

/** Standard errors of the 95 % and the 99.9 % band (two-sided). */
export const NORMAL = 1.96;
export const FAR = 3.29;

/** Undefined when nothing was staked. `best`: a factor on the return that theory expects. */
export function bandOf(sums: Sums, errors: number, best = 1): Band | undefined {
  if (sums.staked === 0n) return undefined;
  const staked = Number(sums.staked) / 1e8;
  const expected = (sums.expected * best) / staked;
  // The variance of part of a round, or of bets on all colours, may come out just below zero.
  const error = Math.sqrt(Math.max(0, sums.variance)) / staked;
  return {
    actual: (100 * sums.counted) / staked,
    low: 100 * (expected - errors * error),
    high: 100 * (expected + errors * error),
  };
}
