import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byText, dayOf, fold, pageIn, shuffled } from './rules.ts';

test('ignores case and accents when it compares names', () => {
  expect(['Ünïcorn ÉTÉ', 'ﬁve', 'ÅNGSTRÖM', 'plain 7'].map(fold)).toEqual([
    'unicorn ete',
    'five',
    'angstrom',
    'plain 7',
  ]);
  expect(['b', 'a', 'c', 'a'].sort(byText)).toEqual(['a', 'a', 'b', 'c']);
  expect([byText('a', 'b'), byText('b', 'a'), byText('a', 'a')]).toEqual([-1, 1, 0]);
});

test('returns each row once across all pages, in both directions', () => {
  const rows = [0, 1, 2, 3, 4, 5, 6];
  const page = (n: number, isTurned = false) => pageIn(rows, { page: n, take: 3 }, isTurned);
  expect([page(1), page(2), page(3), page(4), page(9)]).toEqual([[0, 1, 2], [3, 4, 5], [6], [], []]);
  expect([page(1, true), page(2, true), page(3, true), page(4, true)]).toEqual([
    [6, 5, 4],
    [3, 2, 1],
    [0],
    [],
  ]);
  expect(pageIn(rows.slice(0, 6), { page: 3, take: 3 }, true)).toEqual([]);
  expect(pageIn([], { page: 1, take: 3 }, true)).toEqual([]);
});

test('computes days in UTC', () => {
  expect([0, 86_399_999, 86_400_000, -1].map(dayOf)).toEqual([0, 0, 1, -1]);
});

const rows = (n: number) => Array.from({ length: n }, (_, i) => ({ id: i + 1 }));
const order = (n: number, userId: number, day: number) =>
  shuffled(rows(n), { userId, day }).map(({ id }) => id);

test('shuffles rows in the same order for a player on the same day, and returns each row once', () => {
  // The snapshot detects changes to the order, which could show the same game on two pages.
  expect(order(12, 7, 20_000)).toMatchInlineSnapshot(`
    [
      4,
      11,
      5,
      12,
      2,
      10,
      7,
      6,
      9,
      1,
      3,
      8,
    ]
  `);
  expect(order(12, 7, 20_001)).not.toEqual(order(12, 7, 20_000));
  expect(order(12, 8, 20_000)).not.toEqual(order(12, 7, 20_000));
  fc.assert(
    fc.property(fc.nat(300), fc.nat(), fc.nat(40_000), (n, userId, day) => {
      const shown = order(n, userId, day);
      expect(shown).toEqual(order(n, userId, day));
      expect(shown.toSorted((a, b) => a - b)).toEqual(rows(n).map(({ id }) => id));
    }),
  );
});

test('puts every game first about equally often across many players', () => {
  const firsts = new Array<number>(10).fill(0);
  for (let userId = 1; userId <= 5000; userId++) firsts[order(10, userId, 20_000)[0]! - 1]!++;
  const chiSquare = firsts.reduce((sum, n) => sum + (n - 500) ** 2 / 500, 0);
  expect(chiSquare).toBeLessThan(27.9);
});

test('rejects more rows than the shuffle supports', () => {
  expect(() => shuffled({ length: 2 ** 20 + 1 } as never, { userId: 1, day: 1 })).toThrow(
    '1048577 rows are too many',
  );
  expect(shuffled({ length: 0 } as never, { userId: 1, day: 1 })).toEqual([]);
});
