import { describe, expect, test } from 'vitest';
import { meanOf, type Prize, sumTail, varianceOf } from './mean.ts';
import { normalTails } from './normal.ts';
import { chiSquare, createWordCounter, runsTest, serialTest } from './tests.ts';

describe('tails', () => {
  test('computes the known tail probabilities of the normal distribution', () => {
    expect(normalTails(1.96)).toBeCloseTo(0.0499957903, 10);
    expect(normalTails(-3.29)).toBeCloseTo(0.0010018738, 10);
    expect(normalTails(0)).toBe(1);
  });
});

describe('the sum of many bets', () => {
  const bet = (chance: number): Prize[] => [
    { pays: 0, chance: 1 - chance },
    { pays: 2, chance },
  ];

  // Returns the exact tail probability of the binomial distribution, doubled for both sides.
  test.each([
    [1000, 0.5, 560, 8.252493527522643e-5],
    [1_000_000, 3e-5, 55, 2.7115794168829603e-5],
    [1_000_000, 3e-5, 14, 9.20559185782003e-4],
    [100_000, 1e-4, 25, 4.6898180995593435e-5],
    [100_000, 1e-4, 0, 4.5377e-5],
  ])(
    'computes the tail probability for %i bets with a win probability of %f and %i wins',
    (rounds, chance, wins, tail) => {
      const p = sumTail(bet(chance), rounds, 2 * wins);
      expect(p / (2 * tail)).toBeGreaterThan(0.6);
      expect(p / (2 * tail)).toBeLessThan(1.1);
    },
  );

  test('accepts rare large prizes that a normal approximation would reject', () => {
    const prizes = bet(1e-5);
    const rounds = 100_000;
    const z = (7 - 1) / Math.sqrt(rounds * 1e-5);
    expect(normalTails(z)).toBeLessThan(1e-8);
    expect(sumTail(prizes, rounds, 2 * 7)).toBeGreaterThan(1e-5);
  });

  test('computes the tail probability of extreme and impossible sums', () => {
    expect(sumTail(bet(0.5), 10, 20)).toBeCloseTo(2 / 1024, 12);
    expect(sumTail(bet(0.5), 10, 0)).toBeCloseTo(2 / 1024, 12);
    expect(sumTail(bet(0.5), 10, 21)).toBe(0);
    expect(sumTail(bet(0.5), 10, -1)).toBe(0);
    expect(sumTail(bet(0.5), 1000, 1000)).toBe(1);
  });

  test('computes the mean and variance of a bet', () => {
    expect(meanOf(bet(0.25))).toBe(0.5);
    expect(varianceOf(bet(0.25))).toBe(0.75);
  });
});

describe('tests of counts', () => {
  test('computes the same Pearson statistic for a die as a calculation by hand', () => {
    const counts = [100, 110, 90, 105, 95, 100];
    const { statistic, degrees } = chiSquare(
      counts,
      counts.map(() => 1 / 6),
    );
    expect(statistic).toBeCloseTo((100 + 100 + 25 + 25) / 100, 12);
    expect(degrees).toBe(5);
  });

  test('merges cells with low expected counts', () => {
    const { degrees } = chiSquare([900, 60, 20, 12, 8], [0.9, 0.06, 0.02, 0.012, 0.008]);
    expect(degrees).toBe(2);
    expect(chiSquare([5], [1])).toMatchObject({ degrees: 0, p: 1 });
    expect(chiSquare([3, 5], [0.5, 0.5]).p).toBe(1);
  });
});

describe('tests of random words', () => {
  const count = (words: readonly number[]) => {
    const counter = createWordCounter();
    for (const word of words) counter.count(word);
    return counter.sums;
  };
  const high = 2 ** 32 - 1;

  test('applies the runs test to alternating and to equal words', () => {
    const words = Array.from({ length: 101 }, (_, i) => (i % 2 === 0 ? 0 : high));
    expect(count(words)).toMatchObject({ words: 101, pairs: 100, changes: 100 });
    expect(runsTest(count(words)).statistic).toBe(10);
    expect(runsTest(count(words.map(() => high))).statistic).toBe(-10);
  });

  test('applies the correlation test to alternating and to equal words', () => {
    const words = Array.from({ length: 101 }, (_, i) => (i % 2 === 0 ? 0 : high));
    expect(serialTest(count(words)).statistic).toBeCloseTo(-30, 5);
    expect(serialTest(count(words.map(() => high))).statistic).toBeCloseTo(30, 5);
  });

  test('counts the upper bytes of random words', () => {
    const { bytes } = count([0, 255, 2 ** 24, high]);
    expect([bytes[0], bytes[1], bytes[255]]).toEqual([2, 1, 1]);
  });
});
