import { type Counts, FULL_DECK, keyOf, NOTHING, naturalOf, plus, sizeOf, totalOf, VALUES } from './cards.ts';

/** Probabilities of the dealer's totals 17 … 21, followed by that of a bust. */
export type Ends = readonly number[];
const BUST = 5;

/**
 * One combination of cards that completes the dealer's hand: the cards drawn by value, the final total, and the number of possible orders.
 */
type Way = { drawn: Counts; end: number; orders: number };

/** An upper bound on the number of cards that the dealer can draw. The actual maximum is eleven (with aces and twos). */
const MOST_DRAWN = 12;

/**
 * Returns the exact distribution of the dealer's final totals for the open card, given that the dealer has no natural. The returned
 * function receives the remaining deck, including the dealer's second card. Cards are drawn without replacement. The combinations of cards
 * are listed once per open card, so each deck needs only a product of a few factors per combination.
 */
export function createDealer(open: number, drawsOnSoft17: boolean): (deck: Counts) => Ends {
  const barred = naturalOf(open);
  const ways = waysFrom(open, drawsOnSoft17).map(({ drawn, end, orders }) => {
    const factors = VALUES.filter((value) => drawn[value]! > 0).map((value) => at(value, drawn[value]!));
    return { factors: Uint8Array.from(factors), size: sizeOf(drawn), end, orders };
  });
  /** Number of ordered ways to draw `count` cards of a value from the deck, stored at index at(value, count). */
  const taken = new Float64Array(VALUES.length * MOST_DRAWN);
  const all = new Float64Array(MOST_DRAWN);
  return (deck) => {
    const size = sizeOf(deck);
    // The second card is known not to complete a natural, so all probabilities are conditional on this fact.
    all[0] = barred === undefined ? 1 : size / (size - deck[barred]!);
    for (const value of VALUES) taken[at(value, 0)] = 1;
    for (let k = 1; k < MOST_DRAWN; k++) {
      all[k] = all[k - 1]! / (size - k + 1);
      for (const value of VALUES) taken[at(value, k)] = taken[at(value, k - 1)]! * (deck[value]! - k + 1);
    }
    const ends = [0, 0, 0, 0, 0, 0];
    for (const way of ways) {
      let chance = way.orders * all[way.size]!;
      for (const factor of way.factors) chance *= taken[factor]!;
      ends[way.end]! += chance;
    }
    return ends;
  };
}

const at = (value: number, count: number): number => value * MOST_DRAWN + count;

function waysFrom(open: number, drawsOnSoft17: boolean): Way[] {
  const barred = naturalOf(open);
  const found = new Map<number, Way>();
  const visit = (hand: Counts, drawn: Counts): void => {
    const { total, soft } = totalOf(hand);
    if (total >= 17 && !(drawsOnSoft17 && soft && total === 17)) {
      const key = keyOf(hand);
      const orders = (found.get(key)?.orders ?? 0) + 1;
      found.set(key, { drawn, end: total > 21 ? BUST : total - 17, orders });
      return;
    }
    for (const value of VALUES) {
      const isKnownNot = drawn === NOTHING && value === barred;
      if (!isKnownNot && hand[value]! < FULL_DECK[value]!) visit(plus(hand, value), plus(drawn, value));
    }
  };
  visit(plus(NOTHING, open), NOTHING);
  return [...found.values()];
}

/** Returns the expected win (+) or loss (−), per unit of its stake, of a hand that stands on `total` against this distribution. */
export function standing(total: number, ends: Ends): number {
  let value = ends[BUST]!;
  for (let end = 0; end < BUST; end++) {
    const dealer = end + 17;
    if (total > dealer) value += ends[end]!;
    else if (total < dealer) value -= ends[end]!;
  }
  return value;
}
