/**
 * Card counts by value: index 0 is the ace, 1 the two … 8 the nine, 9 any ten. A deck or a hand is the number of cards of each value. Suits
 * and the ranks of face cards are irrelevant here.
 */
export type Counts = readonly number[];

export const VALUES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
export const ACE = 0;
export const TEN = 9;

export const FULL_DECK: Counts = [4, 4, 4, 4, 4, 4, 4, 4, 4, 16];
export const NOTHING: Counts = VALUES.map(() => 0);

/** The total of a hand, and whether one of its aces counts as 11. */
export type Total = { total: number; soft: boolean };

export function totalOf(hand: Counts): Total {
  const low = hand.reduce((sum, count, value) => sum + count * (value + 1), 0);
  const soft = hand[ACE]! > 0 && low + 10 <= 21;
  return { total: soft ? low + 10 : low, soft };
}

/** Returns a key that identifies a hand or a set of removed cards, with at most 4 cards of each value and any number of tens. */
export function keyOf(counts: Counts): number {
  return counts.reduceRight((key, count) => key * 5 + count, 0);
}

export function plus(hand: Counts, card: number): Counts {
  return hand.with(card, hand[card]! + 1);
}

export function without(deck: Counts, card: number): Counts {
  return deck.with(card, deck[card]! - 1);
}

export function sizeOf(counts: Counts): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Returns the value of the second card that would give the dealer a natural with this open card. The dealer has already checked for a
 * natural and does not have this card. Returns undefined if the dealer does not check.
 */
export function naturalOf(open: number): number | undefined {
  if (open === ACE) return TEN;
  return open === TEN ? ACE : undefined;
}
