import { describe, expect, test } from 'vitest';
import {
  ACE,
  type Counts,
  FULL_DECK,
  NOTHING,
  naturalOf,
  plus,
  sizeOf,
  TEN,
  totalOf,
  VALUES,
  without,
} from './cards.ts';
import { CHART_PLAY } from './chart.ts';
import { createDealer, standing } from './dealer.ts';
import { blackjackReturn } from './returns.ts';

const NINE = 8;

describe('hands', () => {
  test.each([
    [[ACE, TEN], 21, true],
    [[ACE, ACE], 12, true],
    [[ACE, 5, TEN], 17, false],
    [[TEN, TEN, 1], 22, false],
    [[ACE, 5], 17, true],
  ] as const)('%j', (cards, total, soft) => {
    expect(totalOf(cards.reduce<Counts>(plus, NOTHING))).toEqual({ total, soft });
  });

  test('computes the value of a hand that stands', () => {
    const ends = [0.1, 0.2, 0.3, 0.1, 0.1, 0.2];
    expect(standing(19, ends)).toBeCloseTo(0.1 + 0.2 + 0.2 - 0.1 - 0.1, 12);
    expect(standing(12, ends)).toBeCloseTo(0.2 - 0.8, 12);
    expect(standing(21, ends)).toBeCloseTo(0.9, 12);
  });
});

describe('the dealer', () => {
  const decks = [
    ...VALUES.map((open) => ({ open, deck: without(FULL_DECK, open) })),
    { open: 5, deck: [TEN, TEN, 4, 4, ACE].reduce(without, without(FULL_DECK, 5)) },
    { open: ACE, deck: [ACE, ACE, ACE, 1, 1].reduce(without, without(FULL_DECK, ACE)) },
    { open: TEN, deck: [NINE, NINE, NINE, NINE, TEN].reduce(without, without(FULL_DECK, TEN)) },
  ];

  test.each(decks)(
    "computes the same probabilities for the dealer's totals as drawing card by card, with %j",
    ({ open, deck }) => {
      for (const drawsOnSoft17 of [true, false]) {
        const ends = createDealer(open, drawsOnSoft17)(deck);
        const slow = cardByCard(open, deck, drawsOnSoft17);
        for (const [end, chance] of ends.entries()) expect(chance).toBeCloseTo(slow[end]!, 12);
        expect(ends.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
      }
    },
  );
});

test('computes a return for the strategy chart below that of optimal play and above that of play without splits and doubles', () => {
  const rules = { drawsOnSoft17: true };
  const chart = blackjackReturn(CHART_PLAY, rules).perInitial;
  const never = blackjackReturn(
    { splits: () => false, doubles: () => false, stands: ({ total }) => total >= 17 },
    rules,
  );
  expect(blackjackReturn('best', rules).perInitial).toBeGreaterThan(chart);
  expect(never.perInitial).toBeLessThan(chart);
  // Without splits and doubles only the initial stake is bet.
  expect(never.averageStake).toBeCloseTo(1, 12);
  expect(never.perStaked).toBeCloseTo(never.perInitial, 12);
});

/** Computes the distribution again, directly from its definition: a second card that makes no natural, then one card after the other. */
function cardByCard(open: number, deck: Counts, drawsOnSoft17: boolean): number[] {
  const ends = [0, 0, 0, 0, 0, 0];
  const visit = (hand: Counts, left: Counts, chance: number): void => {
    const { total, soft } = totalOf(hand);
    if (sizeOf(hand) > 1 && total >= 17 && !(drawsOnSoft17 && soft && total === 17)) {
      ends[total > 21 ? 5 : total - 17]! += chance;
      return;
    }
    const barred = sizeOf(hand) === 1 ? naturalOf(open) : undefined;
    const possible = sizeOf(left) - (barred === undefined ? 0 : left[barred]!);
    for (const card of VALUES) {
      if (card === barred || left[card] === 0) continue;
      visit(plus(hand, card), without(left, card), (chance * left[card]!) / possible);
    }
  };
  visit(plus(NOTHING, open), deck, 1);
  return ends;
}
