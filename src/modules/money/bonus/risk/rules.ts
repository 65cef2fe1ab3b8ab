import type { Units } from '../../../../platform/money.ts';

/** The risk of a bet on a house game, in millionths and ten-thousandths. */
export type Risk = {
  /** The chance of getting at least the stake back. */
  chancePpm: number;
  /** The average return over the outcomes that pay, in ten-thousandths of the stake. */
  multiplierE4: number;
  /** The fraction of outcomes that pay anything, if a bet can be placed on several of them. */
  coveragePpm?: number;
  /** True if the bet covers both of two opposite outcomes. */
  isOpposite?: boolean;
};

/** Limits beyond which a bet risks too little to count towards wagering (site configuration, COMMON.promo.lowRisk). */
export type LowRiskLimits = {
  readonly maxWinChancePercent: number;
  readonly minMultiplier: number;
  readonly maxCoveragePercent: number;
  readonly countsOpposites: boolean;
};

const PPM_PER_PERCENT = 10_000;
const E4 = 10_000;

/** Returns true if a bet does not count towards wagering because it risks almost nothing. */
export function isLowRisk(risk: Risk, limits: LowRiskLimits): boolean {
  const { chancePpm, multiplierE4, coveragePpm = 0, isOpposite = false } = risk;
  return (
    chancePpm > limits.maxWinChancePercent * PPM_PER_PERCENT ||
    multiplierE4 < Math.round(limits.minMultiplier * E4) ||
    coveragePpm >= limits.maxCoveragePercent * PPM_PER_PERCENT ||
    (isOpposite && !limits.countsOpposites)
  );
}

/** How a bet ended. `undecided` is the pushed part of its stakes; `risk` is not called for bets without a grant. */
export type Ended = { staked: Units; undecided: Units; risk?: (() => Risk) | undefined };
