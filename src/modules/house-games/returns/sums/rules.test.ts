import { describe, expect, test } from 'vitest';
import { ONE } from '../../../../platform/money.ts';
import { firstNumber } from '../../../fairness/hash.ts';
import { rollDice } from '../../dice/rules.ts';
import type { Color } from '../../speed-roulette/rules.ts';
import { addSums, bandOf, FAR, NORMAL, noSums, type SettledBet, sumsOf } from './rules.ts';

/** An even bet on dice: pays 1.98 with a chance of 5000 in 10,001. */
const even = (more: Partial<SettledBet> = {}): SettledBet => ({
  game: 'dice',
  rtpBp: 9900,
  inputs: { threshold: 50, above: true },
  outcome: {},
  staked: 10n * ONE,
  paid: 0n,
  maxProfit: 100_000n * ONE,
  ...more,
});

describe('a bet', () => {
  test('counts with its stake, payout and theory', () => {
    const sums = sumsOf(even({ paid: 1_980_000_000n }));
    expect(sums).toMatchObject({
      bets: 1n,
      staked: 10n * ONE,
      paid: 1_980_000_000n,
      apartBets: 0n,
      apartStaked: 0n,
    });
    expect(sums.expected).toBeCloseTo((10 * 1.98 * 5000) / 10_001, 12);
    const chance = 5000 / 10_001;
    expect(sums.variance).toBeCloseTo(100 * 1.98 ** 2 * chance * (1 - chance), 9);
  });

  const apart = { ...noSums(), apartBets: 1n, apartStaked: 10n * ONE };
  test.each<[string, Partial<SettledBet>]>([
    ['that maxProfit can cut, lost', { maxProfit: 979_999_999n }],
    ['of a game without theory', { game: 'slot' }],
    ['without a return', { rtpBp: null }],
    ['without inputs that are known', { inputs: null }],
    ['with inputs of another game', { inputs: { bombs: 3 } }],
  ])('%s stands apart', (_, more) => expect(sumsOf(even(more))).toEqual(apart));

  test('that maxProfit can cut stands apart won as well as lost, and one that just fits does not', () => {
    expect(sumsOf(even({ maxProfit: 979_999_999n, paid: 5n }))).toEqual({ ...apart, apartPaid: 5n });
    expect(sumsOf(even({ maxProfit: 980_000_000n })).bets).toBe(1n);
    expect(sumsOf(even({ maxProfit: null })).bets).toBe(1n);
  });
});

test('a bet in a shared round stands apart when maxProfit can cut what its player wins in the round', () => {
  const shared = (color: string, ofRound: Partial<Record<Color, bigint>>, maxProfit: bigint) =>
    sumsOf(
      even({ game: 'speed-roulette', rtpBp: 9333, inputs: { color }, ofRound, maxProfit: maxProfit * ONE }),
    ).bets;
  expect(shared('RED', { RED: 10n * ONE }, 10n)).toBe(1n);
  expect(shared('RED', { RED: 10n * ONE }, 9n)).toBe(0n);
  // 10 of 30 on red, won: 2 × 30 − 30; of 40 with black beside it: 20.
  expect(shared('RED', { RED: 30n * ONE }, 29n)).toBe(0n);
  expect(shared('RED', { RED: 30n * ONE, BLACK: 10n * ONE }, 20n)).toBe(1n);
  // On green beside it 14 × 5 − 15 are to be won.
  expect(shared('RED', { RED: 10n * ONE, GREEN: 5n * ONE }, 55n)).toBe(1n);
  expect(shared('RED', { RED: 10n * ONE, GREEN: 5n * ONE }, 54n)).toBe(0n);
});

describe('a band', () => {
  const sums = {
    ...noSums(),
    bets: 1000n,
    staked: 1000n * ONE,
    paid: 1010n * ONE,
    expected: 990,
    variance: 400,
  };
  test.each([
    [NORMAL, 95.08, 102.92],
    [FAR, 92.42, 105.58],
  ])('of %d standard errors', (errors, low, high) => {
    const band = bandOf(sums, errors)!;
    expect(band.actual).toBe(101);
    expect([band.low, band.high].map((v) => v.toFixed(6))).toEqual([low.toFixed(6), high.toFixed(6)]);
  });
  test('moves with the best play', () => expect(bandOf(sums, 0, 1.01)!.high).toBeCloseTo(99.99, 9));
  test('of nothing is none', () => expect(bandOf(noSums(), NORMAL)).toBeUndefined());
});

test('95 % of played sets of bets lie in the band, and 99.9 % in the wide one', () => {
  const [sets, bets] = [600, 150];
  const [won, lost] = [sumsOf(even({ paid: 1_980_000_000n })), sumsOf(even())];
  const played = Array.from({ length: sets }, (_, set) =>
    Array.from({ length: bets }, (_, bet) => firstNumber('of-returns', 'client', set * bets + bet))
      .map((u) => (rollDice({ threshold: 50, above: true }, u).didWin ? won : lost))
      .reduce(addSums, noSums()),
  );
  const inside = (errors: number) =>
    played.filter((all) => {
      const { actual, low, high } = bandOf(all, errors)!;
      return actual >= low && actual <= high;
    }).length / sets;
  expect(inside(NORMAL)).toBeGreaterThan(0.925);
  expect(inside(NORMAL)).toBeLessThan(0.975);
  expect(inside(FAR)).toBeGreaterThan(0.99);
});
