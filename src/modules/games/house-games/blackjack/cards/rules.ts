import type { Next } from '../../../betting/rules.ts';
import { draw, range } from '../../../fairness/rules.ts';

/**
 * Cards are the numbers 1 to 52: rank (card − 1) mod 13 (0 ace, 1 two … 9 ten, 10 jack, 11 queen, 12 king), suit
 * floor((card − 1) / 13) (0 hearts, 1 diamonds, 2 clubs, 3 spades).
 */
export type Cards = readonly number[];

const ALL: Cards = range(1, 52);

/** Returns the shuffled deck of a bet in order of dealing. Uses 52 numbers. */
export function shuffledDeck(next: Next): number[] {
  return draw(ALL, ALL.length, next);
}

/** Returns a given deck: the given cards, then the remaining ones in ascending order. */
export function laidDeck(given: Cards): number[] {
  const isGiven = new Set(given);
  return [...given, ...ALL.filter((card) => !isGiven.has(card))];
}

/** Returns true for 4 to 52 different cards. */
export function isLayable(given: readonly unknown[]): given is Cards {
  const isCard = (card: unknown) => Number.isInteger(card) && (card as number) >= 1 && (card as number) <= 52;
  return given.length >= 4 && given.every(isCard) && new Set(given).size === given.length;
}

/** Value of a card: 1 for an ace (`totalOf` may count it as 11), 10 for face cards. */
export function pointsOf(card: number): number {
  return Math.min(rankOf(card) + 1, 10);
}

export function isAce(card: number): boolean {
  return rankOf(card) === 0;
}

/** Returns the total of a hand. It is soft while an ace counts as 11. A bust hand counts its aces as 1. */
export function totalOf(cards: Cards): { total: number; isSoft: boolean } {
  const low = cards.reduce((sum, card) => sum + pointsOf(card), 0);
  const isSoft = cards.some(isAce) && low <= 11;
  return { total: isSoft ? low + 10 : low, isSoft };
}

export type Pair = 'NONE' | 'MIXED_PAIR' | 'COLORED_PAIR';

/** Returns the kind of pair for the side bet. One deck has no two cards of the same rank and suit. */
export function pairOf([first = 0, second = 0]: Cards): Pair {
  if (rankOf(first) !== rankOf(second)) return 'NONE';
  return isRed(first) === isRed(second) ? 'COLORED_PAIR' : 'MIXED_PAIR';
}

const rankOf = (card: number) => (card - 1) % 13;
/** Hearts and diamonds. */
const isRed = (card: number) => card <= 26;
