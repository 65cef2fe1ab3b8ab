import { describe, expect, test } from 'vitest';
import { GAMES } from '../simulation/cases.ts';
import { agrees, compare, exactFigures } from './figures.ts';
import { choose, extremes, percent, toNumber } from './fraction.ts';
import { PUBLISHED } from './published.ts';
import { firstWord, WORDS } from './words.ts';

// The computation takes several seconds, and longer on a shared machine.
test('computes every published return exactly, to the last digit', {
  timeout: 240_000,
}, () => {
  const figures = exactFigures(GAMES);
  expect(figures).toHaveLength(111);
  expect(figures.filter((figure) => !agrees(figure))).toEqual([]);
});

describe('comparison', () => {
  test('detects a wrong digit, an additional row and a missing row in the published returns', () => {
    const wrong = (computed: unknown) => compare('dice', PUBLISHED.dice, computed).filter((f) => !agrees(f));
    expect(wrong({ ...PUBLISHED.dice })).toEqual([]);
    expect(wrong({ ...PUBLISHED.dice, gridMax: '98.990152' })).toEqual([
      { game: 'dice', path: 'gridMax', published: '98.990151', computed: '98.990152' },
    ]);
    expect(wrong({ ...PUBLISHED.dice, more: '1' })).toMatchObject([{ path: 'more', published: 'absent' }]);
    expect(wrong({ ...PUBLISHED.dice, bets: undefined })).toHaveLength(1);
    expect(compare('keno', { LOW: ['1', '2'] }, { LOW: ['1'] }).filter((f) => !agrees(f))).toMatchObject([
      { path: 'LOW 2', computed: 'absent' },
    ]);
  });

  test('computes the returns of the requested games only', () => {
    const games = exactFigures(['plinko']).map(({ game }) => game);
    expect(new Set(games)).toEqual(new Set(['plinko']));
  });
});

describe('fractions', () => {
  test('rounds percentages half up', () => {
    expect(percent({ value: 1n, whole: 3n })).toBe('33.333333');
    expect(percent({ value: 2n, whole: 3n })).toBe('66.666667');
    expect(percent({ value: 1n, whole: 2_000_000n }, 4)).toBe('0.0001');
    expect(percent({ value: 1n, whole: 2_000_001n }, 4)).toBe('0.0000');
    expect(percent({ value: 5n, whole: 4n }, 2)).toBe('125.00');
  });

  test('computes binomial coefficients', () => {
    expect([choose(5, 0), choose(5, 2), choose(5, 5), choose(5, 6), choose(5, -1)]).toEqual([
      1n,
      10n,
      1n,
      0n,
      0n,
    ]);
    expect(choose(64, 32)).toBe(1_832_624_140_942_590_534n);
  });

  test('converts fractions of any size to a double', () => {
    expect(toNumber({ value: 1n, whole: 3n })).toBeCloseTo(1 / 3, 15);
    expect(toNumber({ value: choose(64, 31), whole: choose(64, 32) })).toBeCloseTo(32 / 33, 14);
  });

  test('returns the first of several points that share the same extreme value', () => {
    const of = (value: bigint) => ({ value, whole: 7n });
    const points = [3n, 1n, 5n, 1n, 5n].map((value, at) => ({ at, of: of(value) }));
    expect(extremes(points)).toMatchObject({ count: 5, min: { at: 1 }, max: { at: 2 } });
    expect(() => extremes([])).toThrow('no points');
  });

  test('computes exactly which random words pick() maps to each result', () => {
    expect(firstWord(0, 37)).toBe(0n);
    expect(firstWord(37, 37)).toBe(WORDS);
    expect(firstWord(1, 2)).toBe(WORDS / 2n);
  });
});
