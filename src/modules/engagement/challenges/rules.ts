import { mulDivDown, type Units } from '../../../platform/money.ts';
import { countedStakeUsd } from '../../games/bets/rules.ts';

export const STATUSES = ['ACTIVE', 'WINNER_SELECTED', 'FINISHED'] as const;
export type Status = (typeof STATUSES)[number];

/** The rules that a winning bet must meet, in the order they are checked. */
export const RULES = [
  'SETTLED',
  'GAME',
  'DECIDED',
  'MIN_BET',
  'MULTIPLIER',
  'BONUS_MONEY',
  'TIME',
  'BARRED',
  'PLAYER',
  'BANNED',
  'EXCLUDED',
] as const;
type Rule = (typeof RULES)[number];

/** The requirements of a challenge. */
export type Terms = { gameId: number; minBetUsd: Units; minMultiplierE4: bigint };

/**
 * A bet's current state. `undecided`: the part of the stake that does not count, because it was returned without a win or a loss
 * (games/bets/rules.ts). `isInTime`: the bet was placed after the challenge was last published and before it was hidden.
 */
export type BetFacts = {
  gameId: number;
  status: string;
  amount: Units;
  payout: Units;
  usdAmount: Units;
  undecided: Units;
  hasBonusMoney: boolean;
  isInTime: boolean;
};

/** `isBarred`: the reward for the bet was paid once and rolled back. `isKept`: the player is staff or a test user. */
export type PlayerFacts = { isBarred: boolean; isKept: boolean; isBanned: boolean; isExcluded: boolean };

const E4 = 10_000n;

/** Returns true if the bet reaches the multiplier. Compares integers: payout × 10^4 ≥ multiplier × 10^4 × stake. */
export const reaches = (bet: Pick<BetFacts, 'amount' | 'payout'>, minMultiplierE4: bigint): boolean =>
  bet.amount > 0n && bet.payout * E4 >= minMultiplierE4 * bet.amount;

/**
 * Returns the first rule about the bet itself that the bet fails. The result can change after a winner was selected, because of a rollback
 * or correction.
 */
export function refusalOfBet(terms: Terms, bet: Omit<BetFacts, 'isInTime'>): Rule | undefined {
  if (bet.status !== 'SETTLED') return 'SETTLED';
  if (bet.gameId !== terms.gameId) return 'GAME';
  if (bet.amount > 0n && bet.undecided >= bet.amount) return 'DECIDED';
  if (countedStakeUsd(bet) < terms.minBetUsd) return 'MIN_BET';
  if (!reaches(bet, terms.minMultiplierE4)) return 'MULTIPLIER';
  return bet.hasBonusMoney ? 'BONUS_MONEY' : undefined;
}

/** Returns the first rule that the bet or its player fails. */
export function refusalOf(terms: Terms, bet: BetFacts, player: PlayerFacts): Rule | undefined {
  const refusal = refusalOfBet(terms, bet);
  if (refusal) return refusal;
  if (!bet.isInTime) return 'TIME';
  if (player.isBarred) return 'BARRED';
  if (player.isKept) return 'PLAYER';
  if (player.isBanned) return 'BANNED';
  return player.isExcluded ? 'EXCLUDED' : undefined;
}

/** Returns the amount that a rollback takes from the winner, or undefined if the balance is too low and `takesLess` is false. */
export function takenOf(
  reward: Units,
  { cash, takesLess }: { cash: Units; takesLess: boolean },
): Units | undefined {
  if (cash >= reward) return reward;
  return takesLess ? cash : undefined;
}

/** Returns the USD value of the amount taken, at the exchange rate of the payment, so that a full rollback exactly cancels the payment. */
export const usdOfTaken = (paid: { amount: Units; usdAmount: Units }, taken: Units): Units =>
  mulDivDown(paid.usdAmount, taken, paid.amount);

/** Formats a multiplier without trailing zeros: `2`, `1.5`, `0.0001`. */
export function multiplierText(e4: bigint): string {
  const fraction = String(e4 % E4)
    .padStart(4, '0')
    .replace(/0+$/, '');
  return `${e4 / E4}${fraction && `.${fraction}`}`;
}

export const titleOf = (game: string, minMultiplierE4: bigint): string =>
  `${game} ≥ ${multiplierText(minMultiplierE4)}×`;

/** Converts a multiplier to ten-thousandths; undefined if it has more than four decimals. */
export function toE4(multiplier: number): bigint | undefined {
  const rounded = Math.round(multiplier * 10_000);
  return rounded / 10_000 === multiplier ? BigInt(rounded) : undefined;
}
