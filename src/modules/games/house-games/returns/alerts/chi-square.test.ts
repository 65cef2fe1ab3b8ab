import { describe, expect, test } from 'vitest';
import { chiSquareTail, drawnChiSquare, upperGamma } from './rules.ts';

describe('tails', () => {
  // Expected values to fifteen digits, computed with arbitrary-precision arithmetic.
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
  ])(
    'with %i degrees of freedom, computes the probability of a value above %f',
    (degrees, value, expected) => {
      expect(Math.abs(chiSquareTail(value, degrees) / expected - 1)).toBeLessThan(1e-9);
    },
  );

  test('computes the gamma function exactly at its limits', () => {
    expect(upperGamma(3, 0)).toBe(1);
    expect(upperGamma(1, 2)).toBeCloseTo(Math.exp(-2), 14);
    expect(upperGamma(2, 800)).toBeLessThan(1e-300);
  });
});

describe('counts of drawn numbers', () => {
  test('computes a mean equal to the degrees of freedom for numbers drawn without replacement', () => {
    // Drawing each of the C(4,2) combinations once is perfectly even, so the statistic is zero. Repeating the same draw is maximally
    // uneven.
    expect(drawnChiSquare([3, 3, 3, 3], 6, 2).statistic).toBe(0);
    const always = drawnChiSquare([6, 6, 0, 0], 6, 2);
    expect(always.degrees).toBe(3);
    // One round draws two of four positions. Σ (seen − ½)² is 1 for any draw, and 1 / (2·2 / (4·3)) = 3, which equals the degrees of
    // freedom.
    const once = drawnChiSquare([1, 1, 0, 0], 1, 2);
    expect(once.statistic).toBeCloseTo(3, 12);
    expect(once.p).toBeCloseTo(0.391625176271089, 12);
  });
});
