import { mulDivDown, type Units } from '../../../platform/money.ts';

export const STATUSES = ['ACTIVE', 'WINNER_SELECTED', 'FINISHED'] as const;
export type Status = (typeof STATUSES)[number];

/** What a bet has to meet, in the order in which it is asked. */
export const RULES = [
  'SETTLED',
  'GAME',
  'MIN_BET',
  'MULTIPLIER',
  'BONUS_MONEY',
  'TIME',
  'BARRED',
  'PLAYER',
  'BANNED',
  'EXCLUDED',
] as const;
export type Rule = (typeof RULES)[number];

/** The bet that a challenge asks for. */
export type Terms = { gameId: number; minBetUsd: Units; minMultiplierE4: bigint };

/** A bet as it stands. `isInTime`: made after the challenge was last shown, and before it was hidden. */
export type BetFacts = {
  gameId: number;
  status: string;
  amount: Units;
  payout: Units;
  usdAmount: Units;
  hasBonusMoney: boolean;
  isInTime: boolean;
};

/** `isBarred`: its reward was paid once and taken back. `isKept`: staff or a test user. */
export type PlayerFacts = { isBarred: boolean; isKept: boolean; isBanned: boolean; isExcluded: boolean };

const E4 = 10_000n;

/** Payout and stake as whole numbers: P·10^4 ≥ multiplier·10^4·S. */
export const reaches = (bet: Pick<BetFacts, 'amount' | 'payout'>, minMultiplierE4: bigint): boolean =>
  bet.amount > 0n && bet.payout * E4 >= minMultiplierE4 * bet.amount;

/** The first rule of the bet itself that it does not meet; what can change after it was chosen. */
export function refusalOfBet(terms: Terms, bet: Omit<BetFacts, 'isInTime'>): Rule | undefined {
  if (bet.status !== 'SETTLED') return 'SETTLED';
  if (bet.gameId !== terms.gameId) return 'GAME';
  if (bet.usdAmount < terms.minBetUsd) return 'MIN_BET';
  if (!reaches(bet, terms.minMultiplierE4)) return 'MULTIPLIER';
  return bet.hasBonusMoney ? 'BONUS_MONEY' : undefined;
}

/** The first rule that a bet or its player does not meet. */
export function refusalOf(terms: Terms, bet: BetFacts, player: PlayerFacts): Rule | undefined {
  const refusal = refusalOfBet(terms, bet);
  if (refusal) return refusal;
  if (!bet.isInTime) return 'TIME';
  if (player.isBarred) return 'BARRED';
  if (player.isKept) return 'PLAYER';
  if (player.isBanned) return 'BANNED';
  return player.isExcluded ? 'EXCLUDED' : undefined;
}

/** What a rollback takes of a reward; undefined: the player has less, and less may not be taken. */
export function takenOf(
  reward: Units,
  { cash, takesLess }: { cash: Units; takesLess: boolean },
): Units | undefined {
  if (cash >= reward) return reward;
  return takesLess ? cash : undefined;
}

/** The worth of what was taken, at the rate that the reward was paid at: what is given and taken back comes to nothing. */
export const usdOfTaken = (paid: { amount: Units; usdAmount: Units }, taken: Units): Units =>
  mulDivDown(paid.usdAmount, taken, paid.amount);

/** Four decimals at most: `2`, `1.5`, `0.0001`. */
export function multiplierText(e4: bigint): string {
  const fraction = String(e4 % E4)
    .padStart(4, '0')
    .replace(/0+$/, '');
  return `${e4 / E4}${fraction && `.${fraction}`}`;
}

export const titleOf = (game: string, minMultiplierE4: bigint): string =>
  `${game} ≥ ${multiplierText(minMultiplierE4)}×`;

/** A multiplier with four decimals at most, in ten-thousandths; undefined: it has more. */
export function toE4(multiplier: number): bigint | undefined {
  const near = Math.round(multiplier * 10_000);
  return near / 10_000 === multiplier ? BigInt(near) : undefined;
}
