import { mulDivDown, roundDown, type Units } from '../../../platform/money.ts';

/** The games that count towards a grant's wagering, and their contributions in percent, as configured on the promotion. */
export type GameTerms = {
  gameSlugs?: readonly string[] | undefined;
  providerIds?: readonly number[] | undefined;
  categories?: readonly string[] | undefined;
  /** Contributions by category. */
  contribution?: Readonly<Record<string, number>> | undefined;
  /** Contributions by game slug. */
  perGame?: Readonly<Record<string, number>> | undefined;
};

/** The properties of a game that a promotion's terms refer to. */
export type GameFacts = { slug: string; providerId: number; categories: readonly string[] };

export type GrantStatus = 'PENDING' | 'ACTIVE' | 'COMPLETED' | 'FORFEITED' | 'EXPIRED' | 'LOST' | 'CANCELLED';

/** A contribution of 100 %, in basis points. */
const WHOLE = 10_000;

/**
 * Returns the contribution of a stake in basis points: the contribution of the game, otherwise that of its first category with a
 * contribution, otherwise 100 %. A game that is not listed contributes nothing.
 */
export function contributionOf(terms: GameTerms, game: GameFacts): number {
  if (!isListed(terms, game)) return 0;
  const { perGame = {}, contribution = {} } = terms;
  const category = game.categories.find((name) => Object.hasOwn(contribution, name));
  const percent = Object.hasOwn(perGame, game.slug)
    ? perGame[game.slug]!
    : category === undefined
      ? 100
      : contribution[category]!;
  return Math.min(WHOLE, Math.max(0, Math.round(percent * 100)));
}

/** Returns true if the terms list any games. If they list none, every game counts. */
export const hasLists = ({ gameSlugs = [], providerIds = [], categories = [] }: GameTerms): boolean =>
  gameSlugs.length + providerIds.length + categories.length > 0;

export function isListed(terms: GameTerms, { slug, providerId, categories: own }: GameFacts): boolean {
  const { gameSlugs = [], providerIds = [], categories = [] } = terms;
  return (
    !hasLists(terms) ||
    gameSlugs.includes(slug) ||
    providerIds.includes(providerId) ||
    own.some((category) => categories.includes(category))
  );
}

/** A grant as it is after the earlier bets of a batch. */
export type BetGrant = {
  id: bigint;
  userId: number;
  currencyId: string;
  /** Decimals of the currency. */
  decimals: number;
  status: GrantStatus;
  wagerRequired: Units;
  wagerDone: Units;
  balance: Units;
  /** Reversed payouts that the grant could not cover, so promo paid them. */
  writtenOff: Units;
  maxBetUsd: Units | null;
  games: GameTerms;
  /** New bets may use the grant until this time. Null: it never expires. */
  expiresAt: Date | null;
  /** True if the grant may have ended. It is then settled outside the batch. */
  isDue: boolean;
  /** The number of stakes above maxBetUsd that were rejected in this batch. */
  refusedBets: number;
  /** The part of the payouts reversed in this batch that promo advances for an ended grant until the grant is settled again. */
  toTakeBack: Units;
  /** The turnover in US dollars that is missing because this batch reversed bets of the completed grant. */
  turnoverOwed: Units;
};

/** The bonus part of a bet. `counted` is the wagered amount of the bet, or null while the bet is open. */
export type BonusBet = {
  betId: bigint;
  userId: number;
  grantId: bigint;
  currencyId: string;
  bonusStaked: Units;
  bonusPaid: Units;
  /** The part of bonusPaid that the player lost. */
  bonusLost: Units;
  /**
   * The part of bonusPaid that was paid before the grant ended or has been settled since. Null if nothing was paid after the grant ended.
   */
  bonusPassed: Units | null;
  counted: Units | null;
  contributionBp: number;
  /** The reason why the counted amount is less than the stake. */
  uncounted?: Uncounted;
};

/** PUSH: all or part of the stake was returned without a win or a loss. LOW_RISK: the bet had almost no risk. */
type Uncounted = 'PUSH' | 'LOW_RISK';

/** An amount split into cash and bonus. */
export type Parts = { cash: Units; bonus: Units };

/** Returns true if bets may use the grant. A grant that may have ended cannot be used until it is settled. */
export const isInForce = ({ status, isDue }: BetGrant): boolean => status === 'ACTIVE' && !isDue;

/** Splits a stake into cash first, then bonus. Returns undefined if both together are insufficient. */
export function splitStake(stake: Units, cash: Units, balance: Units): Parts | undefined {
  if (stake <= cash) return { cash: stake, bonus: 0n };
  const bonus = stake - cash;
  return bonus <= balance ? { cash, bonus } : undefined;
}

/**
 * Splits a payout in the same ratio as the stake. Cash gets floor(payout × cash / stake) at the currency's decimals, and bonus gets the
 * rest. If all stakes of the bet were returned, the payout is cash.
 */
export function splitPayout(
  payout: Units,
  { staked, bonusStaked, decimals }: { staked: Units; bonusStaked: Units; decimals: number },
): Parts {
  if (bonusStaked === 0n || staked === 0n) return { cash: payout, bonus: 0n };
  const cash = roundDown(mulDivDown(payout, staked - bonusStaked, staked), decimals);
  return { cash, bonus: payout - cash };
}

/** Returns the wagered amount of a settled bet: floor(stake × contribution). */
export const countedOf = (staked: Units, contributionBp: number): Units =>
  (staked * BigInt(contributionBp)) / BigInt(WHOLE);

/** The risk of a bet on a house game. Fields that end in Ppm are in millionths, fields that end in E4 in ten-thousandths. */
export type Risk = {
  /** The probability that the bet pays at least the stake. */
  chancePpm: number;
  /** The average return over the outcomes that pay, in ten-thousandths of the stake. */
  multiplierE4: number;
  /** The fraction of outcomes that pay anything, if a bet can be placed on several of them. */
  coveragePpm?: number;
  /** True if the bet covers both of two opposite outcomes. */
  isOpposite?: boolean;
};

/** A bet beyond these limits risks too little to count towards wagering (site configuration, COMMON.promo.lowRisk). */
export type LowRiskLimits = {
  readonly maxWinChancePercent: number;
  readonly minMultiplier: number;
  readonly maxCoveragePercent: number;
  readonly countsOpposites: boolean;
};

const PPM_PER_PERCENT = 10_000;
const E4 = 10_000;

/** Returns true if a bet does not count towards wagering because it has almost no risk. */
export function isLowRisk(risk: Risk, limits: LowRiskLimits): boolean {
  const { chancePpm, multiplierE4, coveragePpm = 0, isOpposite = false } = risk;
  return (
    chancePpm > limits.maxWinChancePercent * PPM_PER_PERCENT ||
    multiplierE4 < Math.round(limits.minMultiplier * E4) ||
    coveragePpm >= limits.maxCoveragePercent * PPM_PER_PERCENT ||
    (isOpposite && !limits.countsOpposites)
  );
}

/** How a bet ended. `undecided` is the part of its stakes that was returned as a push; `risk` is not called for bets without a grant. */
export type Ended = { staked: Units; undecided: Units; risk?: (() => Risk) | undefined };
