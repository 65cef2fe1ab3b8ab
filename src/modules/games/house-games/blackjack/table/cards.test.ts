import { describe, expect, test } from 'vitest';
import { cardOf, cards } from '../../../../../../test/kit/games/blackjack.ts';
import { stream } from '../../../fairness/hash.ts';
import { isLayable, laidDeck, pairOf, pointsOf, shuffledDeck, totalOf } from './rules.ts';

const ALL = Array.from({ length: 52 }, (_, i) => i + 1);
const RANKS = Array.from({ length: 13 }, (_, i) => i);

describe('cards', () => {
  test('numbers the cards from 1 to 52: ace to king of hearts, diamonds, clubs and spades', () => {
    expect(cards('Ah 2h Th Jh Qh Kh Ad Kd Ac Kc As Ks')).toEqual([
      1, 2, 10, 11, 12, 13, 14, 26, 27, 39, 40, 52,
    ]);
    const points = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10];
    for (const suit of [0, 1, 2, 3])
      expect(RANKS.map((rank) => pointsOf(cardOf(rank, suit)))).toEqual(points);
  });

  test('counts aces to get the best total in all hands of two to four ranks', () => {
    const hands = RANKS.flatMap((a) =>
      RANKS.flatMap((b) => [[a, b], ...RANKS.flatMap((c) => [[a, b, c], ...RANKS.map((d) => [a, b, c, d])])]),
    );
    expect(hands).toHaveLength(13 ** 2 + 13 ** 3 + 13 ** 4);
    const wrong = hands.filter((ranks) => {
      const { total, isSoft } = totalOf(ranks.map((rank, i) => cardOf(rank, i)));
      const best = bestTotal(ranks);
      return total !== best.total || isSoft !== best.isSoft;
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['Ah', 11, true],
    ['Ah Ad', 12, true],
    ['Ah Ad Ac As', 14, true],
    ['Ah Kd', 21, true],
    ['Ah 6d', 17, true],
    ['Ah 6d Kc', 17, false],
    ['Ah 5d 5c', 21, true],
    ['Kh Qd 2c', 22, false],
    ['Kh Qd Ac As', 22, false],
    ['Th Jd', 20, false],
  ])('counts %s as %i', (text, total, isSoft) => {
    expect(totalOf(cards(text))).toEqual({ total, isSoft });
  });
});

describe('deck', () => {
  test('draws all 52 cards in order with 52 numbers', () => {
    const next = stream('0123456789abcdef'.repeat(4), 'fair', 7);
    const numbers = Array.from({ length: 60 }, next);
    let taken = 0;
    const deck = shuffledDeck(() => numbers[taken++]!);
    expect(taken).toBe(52);
    expect(deck.toSorted((a, b) => a - b)).toEqual(ALL);
    const left = [...ALL];
    const expected = numbers
      .slice(0, 52)
      .map((u) => left.splice(Number((BigInt(u) * BigInt(left.length)) >> 32n), 1)[0]);
    expect(deck).toEqual(expected);
  });

  test('draws the first remaining card for the lowest number and the last one for the highest', () => {
    expect(shuffledDeck(() => 0)).toEqual(ALL);
    expect(shuffledDeck(() => 2 ** 32 - 1)).toEqual(ALL.toReversed());
  });

  test('deals the remaining cards in ascending order after the cards of a prearranged deck', () => {
    expect(laidDeck([5, 52, 1, 3])).toEqual([5, 52, 1, 3, 2, 4, ...ALL.slice(5, 51)]);
    expect(laidDeck(ALL.toReversed())).toEqual(ALL.toReversed());
  });

  test.each([
    ['three cards', [1, 2, 3], false],
    ['four cards', [1, 2, 3, 4], true],
    ['all cards', ALL, true],
    ['a card twice', [1, 2, 3, 3], false],
    ['card 0', [0, 1, 2, 3], false],
    ['card 53', [53, 1, 2, 3], false],
    ['a fractional card', [1.5, 1, 2, 3], false],
    ['a card as text', ['1', 2, 3, 4], false],
    ['more than there are', [...ALL, 1], false],
  ])('checks whether %s are valid first cards of a deck: %s', (_, given, isOne) => {
    expect(isLayable(given)).toBe(isOne);
  });
});

describe('perfect pair', () => {
  test('finds 52 coloured and 104 mixed pairs in all 2652 deals', () => {
    const count = { COLORED_PAIR: 0, MIXED_PAIR: 0, NONE: 0 };
    for (const a of ALL) for (const b of ALL) if (a !== b) count[pairOf([a, b])]++;
    expect(count).toEqual({ COLORED_PAIR: 52, MIXED_PAIR: 104, NONE: 2496 });
    // On average, the side bet pays 25/51 + 12 × 2/51 = 49/51 of its stake.
    expect(count.COLORED_PAIR * 25 + count.MIXED_PAIR * 12).toBe(52 * 49);
  });

  test.each([
    ['8h 8d', 'COLORED_PAIR'],
    ['8s 8c', 'COLORED_PAIR'],
    ['8h 8c', 'MIXED_PAIR'],
    ['8h 8s', 'MIXED_PAIR'],
    ['8d 8c', 'MIXED_PAIR'],
    ['8d 8s', 'MIXED_PAIR'],
    ['Th Jh', 'NONE'],
    ['Kh Qd', 'NONE'],
    ['8h 9h', 'NONE'],
  ])('classifies %s as %s', (text, pair) => {
    expect(pairOf(cards(text))).toBe(pair);
  });
});

function bestTotal(ranks: readonly number[]): { total: number; isSoft: boolean } {
  const ways = ranks.reduce(
    (sums, rank) =>
      sums.flatMap((sum) => (rank === 0 ? [sum + 1, sum + 11] : [sum + Math.min(rank + 1, 10)])),
    [0],
  );
  const least = Math.min(...ways);
  const total = Math.max(least, ...ways.filter((sum) => sum <= 21));
  return { total, isSoft: total > least };
}
