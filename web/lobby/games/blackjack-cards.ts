import { words } from '../words.ts';

/** Outlines of the suits in a square of 80 by 80 units around the origin: hearts, diamonds, clubs, spades. */
export const SUIT_PATHS = [
  'M0 34C-10 20-34 8-34-12C-34-30-10-34 0-16C10-34 34-30 34-12C34 8 10 20 0 34Z',
  'M0-38L28 0L0 38L-28 0Z',
  'M0-36a17 17 0 0 1 13 28a17 17 0 1 1-9 28c1 8 5 14 10 18h-28c5-4 9-10 10-18a17 17 0 1 1-9-28a17 17 0 0 1 13-28Z',
  'M0-34C8-18 32-6 32 12C32 26 14 32 5 20C6 30 10 34 14 38H-14C-10 34-6 30-5 20C-14 32-32 26-32 12C-32-6-8-18 0-34Z',
] as const;
const SUIT_SIGNS = ['♥', '♦', '♣', '♠'] as const;

const rankOf = (card: number) => (card - 1) % 13;
export const suitOf = (card: number) => Math.floor((card - 1) / 13);
export const isRed = (card: number) => suitOf(card) < 2;

/** The letter or number in the corner of a card. */
export const cornerOf = (card: number): string => words.blackjack.ranks[rankOf(card)]!;
/** Ace of spades. */
export const cardWords = (card: number): string => words.blackjack.card(rankOf(card), suitOf(card));
/** A♠ */
export const cardSign = (card: number): string => `${cornerOf(card)}${SUIT_SIGNS[suitOf(card)]}`;
