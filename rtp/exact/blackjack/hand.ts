import {
  ACE,
  type Counts,
  keyOf,
  NOTHING,
  naturalOf,
  plus,
  sizeOf,
  totalOf,
  VALUES,
  without,
} from './cards.ts';
import type { Play } from './chart.ts';
import { createDealer, type Ends, standing } from './dealer.ts';

/**
 * Expected values of the options for continuing a hand, in stakes won (+) or lost (−). `deck` is the remaining deck, including the dealer's
 * second card.
 */
export type Options = {
  hitOrStand: (hand: Counts, deck: Counts) => number;
  double: (hand: Counts, deck: Counts) => number;
  /** Returns the sum of the results of both hands. */
  split: (pair: number, deck: Counts) => number;
};

/** Returns the expected values of all options against a dealer's open card, if the dealer has no natural. */
export function createOptions(open: number, play: Play | 'best', drawsOnSoft17: boolean): Options {
  const stand = createStand(open, drawsOnSoft17);
  const draw = createDraw(open);
  const createHitOrStand = () => {
    const known = new Map<number, number>();
    const value = (hand: Counts, deck: Counts): number => {
      const { total } = totalOf(hand);
      if (total > 21) return -1;
      if (total === 21) return stand(hand, deck);
      const key = keyOf(hand);
      const before = known.get(key);
      if (before !== undefined) return before;
      const decided = decide(hand, deck);
      known.set(key, decided);
      return decided;
    };
    const hit = (hand: Counts, deck: Counts): number =>
      draw(deck, (card) => value(plus(hand, card), without(deck, card)));
    const decide = (hand: Counts, deck: Counts): number => {
      if (play === 'best') return Math.max(stand(hand, deck), hit(hand, deck));
      return play.stands(totalOf(hand), open) ? stand(hand, deck) : hit(hand, deck);
    };
    return value;
  };
  return {
    hitOrStand: createHitOrStand(),
    double: (hand, deck) => 2 * draw(deck, (card) => stand(plus(hand, card), without(deck, card))),
    split(pair, deck) {
      // The first cards of both hands are removed from the deck. The other hand's draws are unknown, so they change no probability. Both
      // hands have the same expected value, and expected values add up even though the hands draw from the same deck.
      const value = pair === ACE ? stand : createHitOrStand();
      const first = plus(NOTHING, pair);
      return 2 * draw(deck, (card) => value(plus(first, card), without(deck, card)));
    },
  };
}

function createStand(open: number, drawsOnSoft17: boolean): (hand: Counts, deck: Counts) => number {
  const dealer = createDealer(open, drawsOnSoft17);
  const known = new Map<number, Ends>();
  return (hand, deck) => {
    const key = keyOf(deck);
    let ends = known.get(key);
    if (!ends) {
      ends = dealer(deck);
      known.set(key, ends);
    }
    return standing(totalOf(hand).total, ends);
  };
}

/**
 * Returns the mean of a value over all possible next cards. `deck` includes the dealer's second card, which is known not to complete a
 * natural.
 */
function createDraw(open: number): (deck: Counts, then: (card: number) => number) => number {
  const barred = naturalOf(open);
  return (deck, then) => {
    const size = sizeOf(deck);
    const seconds = barred === undefined ? size : size - deck[barred]!;
    let mean = 0;
    for (const card of VALUES) {
      if (deck[card] === 0) continue;
      // Each of `seconds` cards is equally likely to be the dealer's second card. Therefore a given card is the dealer's, and cannot be
      // drawn, with probability 1 / seconds.
      const isSecond = card === barred ? 0 : 1 / seconds;
      mean += ((deck[card]! * (1 - isSecond)) / (size - 1)) * then(card);
    }
    return mean;
  };
}
