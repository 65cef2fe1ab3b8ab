import { describe, expect, test } from 'vitest';
import { chiSquareTail, normalTails, upperGamma } from './gamma.ts';
import { meanOf, type Prize, sumTail, varianceOf } from './mean.ts';
import { chiSquare, createWordCounter, drawnChiSquare, runsTest, serialTest } from './tests.ts';

describe('tails', () => {
  // To fifteen digits by arbitrary precision arithmetic.
  test.each([
    [1, 3.841458820694124, 0.0500000000000001],
    [1, 30, 4.3204630578275e-8],
    [2, 5, 0.0820849986238988],
    [10, 18.307038053275146, 0.05],
    [36, 20.5, 0.982241506010365],
    [36, 70, 0.000585836969443607],
    [51, 120, 1.72889186082337e-7],
    [136, 136, 0.483872439950512],
    [255, 400, 1.66000252441245e-8],
    [10_000, 10_300, 0.0176381174473454],
    [10_000, 9500, 0.999835613835641],
  ])('chi-square of %i degrees above %f', (degrees, value, expected) => {
    expect(Math.abs(chiSquareTail(value, degrees) / expected - 1)).toBeLessThan(1e-9);
  });

  test('the normal ones that the bands stand for', () => {
    expect(normalTails(1.96)).toBeCloseTo(0.0499957903, 10);
    expect(normalTails(-3.29)).toBeCloseTo(0.0010018738, 10);
    expect(normalTails(0)).toBe(1);
  });

  test('the ends of the gamma function', () => {
    expect(upperGamma(3, 0)).toBe(1);
    expect(upperGamma(1, 2)).toBeCloseTo(Math.exp(-2), 14);
    expect(upperGamma(2, 800)).toBeLessThan(1e-300);
  });
});

describe('the sum of many bets', () => {
  const bet = (chance: number): Prize[] => [
    { pays: 0, chance: 1 - chance },
    { pays: 2, chance },
  ];

  // The exact tail of the binomial distribution, doubled for both sides.
  test.each([
    [1000, 0.5, 560, 8.252493527522643e-5],
    [1_000_000, 3e-5, 55, 2.7115794168829603e-5],
    [1_000_000, 3e-5, 14, 9.20559185782003e-4],
    [100_000, 1e-4, 25, 4.6898180995593435e-5],
    [100_000, 1e-4, 0, 4.5377e-5],
  ])('%i bets at %f that are won %i times', (rounds, chance, wins, tail) => {
    const p = sumTail(bet(chance), rounds, 2 * wins);
    expect(p / (2 * tail)).toBeGreaterThan(0.6);
    expect(p / (2 * tail)).toBeLessThan(1.1);
  });

  test('a rare large prize rings no bell where the normal distribution would', () => {
    const prizes = bet(1e-5);
    const rounds = 100_000;
    const z = (7 - 1) / Math.sqrt(rounds * 1e-5);
    expect(normalTails(z)).toBeLessThan(1e-8);
    expect(sumTail(prizes, rounds, 2 * 7)).toBeGreaterThan(1e-5);
  });

  test('sums that all bets won, or none, or that no bets can make', () => {
    expect(sumTail(bet(0.5), 10, 20)).toBeCloseTo(2 / 1024, 12);
    expect(sumTail(bet(0.5), 10, 0)).toBeCloseTo(2 / 1024, 12);
    expect(sumTail(bet(0.5), 10, 21)).toBe(0);
    expect(sumTail(bet(0.5), 10, -1)).toBe(0);
    expect(sumTail(bet(0.5), 1000, 1000)).toBe(1);
  });

  test('mean and variance of a bet', () => {
    expect(meanOf(bet(0.25))).toBe(0.5);
    expect(varianceOf(bet(0.25))).toBe(0.75);
  });
});

describe('tests of counts', () => {
  test('Pearson on a die: by hand', () => {
    const counts = [100, 110, 90, 105, 95, 100];
    const { statistic, degrees } = chiSquare(
      counts,
      counts.map(() => 1 / 6),
    );
    expect(statistic).toBeCloseTo((100 + 100 + 25 + 25) / 100, 12);
    expect(degrees).toBe(5);
  });

  test('cells that expect little are counted together', () => {
    const { degrees } = chiSquare([900, 60, 20, 12, 8], [0.9, 0.06, 0.02, 0.012, 0.008]);
    expect(degrees).toBe(2);
    expect(chiSquare([5], [1])).toMatchObject({ degrees: 0, p: 1 });
    expect(chiSquare([3, 5], [0.5, 0.5]).p).toBe(1);
  });

  test('what is drawn without putting back has the mean of its degrees', () => {
    // All C(4,2) draws once: as even as can be, so nothing is left; the same draw each time is as far off as can be.
    expect(drawnChiSquare([3, 3, 3, 3], 6, 2).statistic).toBe(0);
    const always = drawnChiSquare([6, 6, 0, 0], 6, 2);
    expect(always.degrees).toBe(3);
    // One round of two among four: Σ (seen − ½)² = 1 whatever is drawn, and 1 / (2·2 / (4·3)) = 3, the degrees.
    expect(drawnChiSquare([1, 1, 0, 0], 1, 2).statistic).toBeCloseTo(3, 12);
  });
});

describe('tests of words', () => {
  const count = (words: readonly number[]) => {
    const counter = createWordCounter();
    for (const word of words) counter.count(word);
    return counter.sums;
  };
  const high = 2 ** 32 - 1;

  test('runs: as many changes as pairs, or none', () => {
    const words = Array.from({ length: 101 }, (_, i) => (i % 2 === 0 ? 0 : high));
    expect(count(words)).toMatchObject({ words: 101, pairs: 100, changes: 100 });
    expect(runsTest(count(words)).statistic).toBe(10);
    expect(runsTest(count(words.map(() => high))).statistic).toBe(-10);
  });

  test('neighbours: opposite and equal ones', () => {
    const words = Array.from({ length: 101 }, (_, i) => (i % 2 === 0 ? 0 : high));
    expect(serialTest(count(words)).statistic).toBeCloseTo(-30, 5);
    expect(serialTest(count(words.map(() => high))).statistic).toBeCloseTo(30, 5);
  });

  test('the upper byte is counted', () => {
    const { bytes } = count([0, 255, 2 ** 24, high]);
    expect([bytes[0], bytes[1], bytes[255]]).toEqual([2, 1, 1]);
  });
});
