import { mulDivDown, roundDown, type Units } from '../../../platform/money.ts';

/** Which games count towards the turnover of a grant, and what part of a stake, in percent: as staff wrote it on the promotion. */
export type GameTerms = {
  gameSlugs?: readonly string[] | undefined;
  providerIds?: readonly number[] | undefined;
  categories?: readonly string[] | undefined;
  /** By category. */
  contribution?: Readonly<Record<string, number>> | undefined;
  /** By slug. */
  perGame?: Readonly<Record<string, number>> | undefined;
};

/** What the terms of a grant ask about a game. */
export type GameFacts = { slug: string; providerId: number; categories: readonly string[] };

export type GrantStatus = 'PENDING' | 'ACTIVE' | 'COMPLETED' | 'FORFEITED' | 'EXPIRED' | 'LOST' | 'CANCELLED';

/** All of a stake, in basis points. */
const WHOLE = 10_000;

/**
 * What part of a stake counts, in basis points: as its game says, then its first category that says something, then all of it. Nothing
 * of a game outside the lists; without any list every game is in.
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

/** Whether the lists name any game: without one every game is in. */
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

/** A grant as bets know it, after the earlier bets of the batch. */
export type BetGrant = {
  id: bigint;
  userId: number;
  currencyId: string;
  /** Of the currency. */
  decimals: number;
  status: GrantStatus;
  wagerRequired: Units;
  wagerDone: Units;
  balance: Units;
  /** Payouts that could not be taken back from it and were borne by promo. */
  writtenOff: Units;
  maxBetUsd: Units | null;
  games: GameTerms;
  /** New bets are made with it until then; null: its time has no end. */
  expiresAt: Date | null;
  /** It may be at its end, which is decided outside the batch. */
  isDue: boolean;
  /** Stakes above maxBetUsd that were refused in this batch. */
  refusedBets: number;
  /** Of payouts that this batch takes back: what promo pays in the place of a grant that has ended, until that is decided again. */
  toTakeBack: Units;
  /** US dollars of turnover that are missing since this batch has taken bets of the completed grant back. */
  turnoverOwed: Units;
};

/** What of a bet is bonus money. `counted`: what it adds to the turnover; null while the bet is open. */
export type BonusBet = {
  betId: bigint;
  userId: number;
  grantId: bigint;
  currencyId: string;
  bonusStaked: Units;
  bonusPaid: Units;
  /** Of bonusPaid: what did not stay with the player. */
  bonusLost: Units;
  /** Of bonusPaid: what was paid before the grant ended, or has passed on since; null: nothing was paid since. */
  bonusPassed: Units | null;
  counted: Units | null;
  contributionBp: number;
};

/** An amount by where it comes from or goes to. */
export type Parts = { cash: Units; bonus: Units };

/** Whether bets are made with it: one that may be at its end takes none until that is decided. */
export const isInForce = ({ status, isDue }: BetGrant): boolean => status === 'ACTIVE' && !isDue;

/** Cash first, then bonus. Undefined: both together are too little. */
export function splitStake(stake: Units, cash: Units, balance: Units): Parts | undefined {
  if (stake <= cash) return { cash: stake, bonus: 0n };
  const bonus = stake - cash;
  return bonus <= balance ? { cash, bonus } : undefined;
}

/**
 * A payout is shared as the stake was: floor(payout × cash / stake) at the currency's decimals in cash, the rest in bonus. Of a bet whose
 * stakes were all taken back it is cash.
 */
export function splitPayout(
  payout: Units,
  { staked, bonusStaked, decimals }: { staked: Units; bonusStaked: Units; decimals: number },
): Parts {
  if (bonusStaked === 0n || staked === 0n) return { cash: payout, bonus: 0n };
  const cash = roundDown(mulDivDown(payout, staked - bonusStaked, staked), decimals);
  return { cash, bonus: payout - cash };
}

/** What a settled bet adds to the turnover: floor(stake × contribution). */
export const countedOf = (staked: Units, contributionBp: number): Units =>
  (staked * BigInt(contributionBp)) / BigInt(WHOLE);
