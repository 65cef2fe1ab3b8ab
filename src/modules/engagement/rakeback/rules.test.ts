import { expect, test } from 'vitest';
import { type ConfigOf, defaultsOf } from '../../base/site-config/schemas.ts';
import { boostedBp, claimableOf, expiresAt, type LongPeriod, ratesAt, unlocksAt } from './rules.ts';

test.each([
  [500, 0, 500],
  [500, 50, 750],
  [100, 175, 275],
  [33, 10, 36],
  [1, 99, 1],
  [1, 100, 2],
  [0, 150, 0],
])('increases %i basis points with a boost of %i %% to %i', (base, boost, expected) => {
  expect(boostedBp(base, boost)).toBe(expected);
});

test.each([
  [617_283n, 8, 617_283n],
  [617_283n, 6, 617_200n],
  [617_283n, 2, 0n],
  [99n, 6, 0n],
  [100n, 6, 100n],
  [0n, 8, 0n],
  [-617_283n, 6, 0n],
  [-1n, 8, 0n],
])('rounds %i units with %i decimals down to %i claimable units', (rest, decimals, expected) => {
  expect(claimableOf(rest, decimals)).toBe(expected);
});

// The tested day is a Tuesday.
const AT = new Date('2026-11-24T13:14:15.016Z');
test.each<[LongPeriod, string, string]>([
  ['daily', '2026-11-25T00:00:00.000Z', '2026-12-02T00:00:00.000Z'],
  ['weekly', '2026-11-30T00:00:00.000Z', '2026-12-07T00:00:00.000Z'],
  ['monthly', '2026-12-01T00:00:00.000Z', '2026-12-08T00:00:00.000Z'],
])('unlocks %s rakeback at %s, and expires it a week later', (period, unlocks, expires) => {
  expect(unlocksAt(period, AT).toISOString()).toBe(unlocks);
  expect(expiresAt(period, AT, 7)?.toISOString()).toBe(expires);
  expect(expiresAt(period, AT, null)).toBeNull();
  expect(expiresAt(period, null, 7)).toBeNull();
});

test('returns rates as percentages of the house edge, including the boost of the level', () => {
  const common = defaultsOf('COMMON') as ConfigOf<'COMMON'>;
  expect(ratesAt(common, 0)).toEqual({ instant: 5, daily: 2, weekly: 2, monthly: 1 });
  expect(ratesAt(common, 4)).toEqual({ instant: 7.5, daily: 3, weekly: 3, monthly: 1.5 });
  const rakeback = { instantBp: 1, dailyBp: 2, weeklyBp: 3, monthlyBp: 4, expiryDays: null };
  expect(ratesAt({ ...common, rakeback }, 0)).toEqual({
    instant: 0.01,
    daily: 0.02,
    weekly: 0.03,
    monthly: 0.04,
  });
});
