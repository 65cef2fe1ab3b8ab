import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effortOf, placeOf } from './rules.ts';

test.each(['id', 'createdAt'])(
  'allows more rows to be read and fewer to be sorted when users are sorted by %s',
  (sortBy) => {
    expect(effortOf(sortBy)).toEqual({ sorted: 1000, lookedAt: 20_000 });
  },
);

test.each(['username', 'email', ''])(
  'allows fewer rows to be read and more to be sorted when users are sorted by %j',
  (sortBy) => {
    expect(effortOf(sortBy)).toEqual({ sorted: 4000, lookedAt: 10_000 });
  },
);

test.each([
  [1, 10, 0, undefined],
  [2, 10, 10, undefined],
  [1, 10, 1, { isBackward: false, offset: 0, take: 1, depth: 0 }],
  [1, 10, 100, { isBackward: false, offset: 0, take: 10, depth: 0 }],
  [2, 10, 11, { isBackward: true, offset: 0, take: 1, depth: 0 }],
  [2, 10, 30, { isBackward: false, offset: 10, take: 10, depth: 10 }],
  [6, 10, 100, { isBackward: true, offset: 40, take: 10, depth: 40 }],
  [5, 10, 100, { isBackward: false, offset: 40, take: 10, depth: 40 }],
  [10, 10, 95, { isBackward: true, offset: 0, take: 5, depth: 0 }],
])('finds page %i of size %i in %i rows', (page, take, total, place) => {
  expect(placeOf({ page, take }, total)).toEqual(place);
});

const NOWHERE = { isBackward: false, offset: 0, take: 0, depth: 0 };

test('reads a page from the nearer end of the list, and returns the distance to that end as depth', () => {
  const pages = fc.record({ page: fc.integer({ min: 1, max: 30 }), take: fc.integer({ min: 1, max: 20 }) });
  fc.assert(
    fc.property(pages, fc.nat(200), ({ page, take }, total) => {
      const rows = Array.from({ length: total }, (_, i) => i);
      const expected = rows.slice((page - 1) * take, page * take);
      const place = placeOf({ page, take }, total);
      const { isBackward, offset, take: count, depth } = place ?? NOWHERE;
      const read = (isBackward ? rows.toReversed() : rows).slice(offset, offset + count);
      expect(isBackward ? read.reverse() : read).toEqual(expected);
      expect(depth).toBe(offset);
    }),
    { seed: 13, numRuns: 2000 },
  );
});
