import type { Units } from '../../../../../platform/money.ts';
import { type Color, canBeCut } from '../../speed-roulette/rules.ts';
import { type PlayedBet, theoryOf } from '../rules.ts';

/** From `from` (inclusive) to `until` (exclusive). */
export type Period = { from: Date; until: Date };

/** Sums over bets. Amounts are in units of the US dollar, theoretical values in dollars. */
export type Sums = {
  bets: bigint;
  staked: Units;
  paid: Units;
  /** Payouts in dollars for the comparison with theory. In rounds of several steps, they are the payouts before maxProfit is applied. */
  counted: number;
  expected: number;
  variance: number;
  /** Bets that maxProfit can limit or that have no theoretical values. The sums above exclude them. */
  apartBets: bigint;
  apartStaked: Units;
  apartPaid: Units;
};

/** Settled bets with equal stakes. `paid`: the sum of their payouts. */
export type SettledBets = Omit<PlayedBet, 'stake' | 'rtpBp'> & {
  bets: number;
  rtpBp: number | null;
  stake: Units;
  paid: Units;
  maxProfit: Units | null;
  /** For a shared round: all stakes of the player in the round, by color. */
  ofRound?: Share['staked'] | undefined;
};

/** A player's stakes in a shared round by color, in US dollars, and their maximum profit. */
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

/** Adds b to a. With a `sign` of -1, subtracts it: integers are restored exactly, doubles up to rounding errors. */
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
 * Returns the sums of these bets. If maxProfit would limit a bet's highest win, the bet is summed separately even if it lost, because
 * excluding only limited wins would bias the result. In a shared round maxProfit limits all bets of a player together, so all of them are
 * summed separately.
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
 * Returns the stakes on each color of a shared round in dollars, without players whose bets are summed separately. The variance covers only
 * the counted bets. Otherwise thousands of dollars on red would make the variance of a dollar on black negative.
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

/** The actual RTP in percent, and bounds that are a number of standard errors below and above the expected RTP. */
export type Band = { actual: number; low: number; high: number };

/** Standard errors of the 95 % and the 99.9 % band (two-sided). */
export const NORMAL = 1.96;
export const FAR = 3.29;

/** Returns the band, or undefined if nothing was staked. The expected RTP is multiplied by the factor `best`. */
export function bandOf(sums: Sums, errors: number, best = 1): Band | undefined {
  if (sums.staked === 0n) return undefined;
  const staked = Number(sums.staked) / 1e8;
  const expected = (sums.expected * best) / staked;
  // Rounding can make the variance slightly negative for part of a round or for bets on all colors.
  const error = Math.sqrt(Math.max(0, sums.variance)) / staked;
  return {
    actual: (100 * sums.counted) / staked,
    low: 100 * (expected - errors * error),
    high: 100 * (expected + errors * error),
  };
}
