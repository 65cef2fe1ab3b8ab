import { describe, expect, test } from 'vitest';
import {
  claimableOf,
  dayBefore,
  dayOf,
  depositCommission,
  firstActiveDay,
  firstUnripeDay,
  keyOf,
  leastClaim,
  refusalOfClaim,
  reportDays,
  standingOf,
} from './rules.ts';

const CENT = 1_000_000n;

describe('keyOf', () => {
  test.each([
    ['Lucky-7', 'lucky-7'],
    ['_', '_'],
    ['A'.repeat(64), 'a'.repeat(64)],
  ])('maps %s to the key %s', (code, key) => expect(keyOf(code)).toBe(key));

  test.each(['', 'a b', 'ä', 'a.b', 'a'.repeat(65), ' a', 'a\n'])('rejects %j', (code) =>
    expect(keyOf(code)).toBeUndefined(),
  );
});

describe('standingOf', () => {
  const levels = [
    { id: 1, minWageredUsdAmount: '0' },
    { id: 2, minWageredUsdAmount: '50' },
    { id: 3, minWageredUsdAmount: '100' },
  ];
  test.each([
    [0n, null, 1, 2],
    [-5n, null, 1, 2],
    [49_99999999n, null, 1, 2],
    [50_00000000n, null, 2, 3],
    [100_00000000n, null, 3, null],
    [0n, 2, 2, 3],
    [0n, 9, 3, null],
    [100_00000000n, 1, 3, null],
  ])(
    'for wagers of %s and minimum level %s, returns level %s and next level %s',
    (wageredUsd, floorId, current, next) => {
      const standing = standingOf(levels, { wageredUsd, floorId });
      expect([standing.current.id, standing.next?.id ?? null]).toEqual([current, next]);
    },
  );
});

describe('claims', () => {
  test.each([
    [{ earnedUsd: 10n, unripeUsd: 0n, claimedUsd: 0n }, 10n],
    [{ earnedUsd: 10n, unripeUsd: 3n, claimedUsd: 2n }, 5n],
    [{ earnedUsd: 10n, unripeUsd: 3n, claimedUsd: 7n }, 0n],
    [{ earnedUsd: 10n, unripeUsd: 3n, claimedUsd: 8n }, 0n],
    // A negative `unripeUsd` results from reversals on days within the hold period.
    [{ earnedUsd: 7n, unripeUsd: -3n, claimedUsd: 0n }, 10n],
    [{ earnedUsd: -7n, unripeUsd: 0n, claimedUsd: 0n }, 0n],
  ])('computes the claimable amount for the sums %o: %s', (sums, due) => expect(claimableOf(sums)).toBe(due));

  test.each([
    [0n, CENT],
    [CENT - 1n, CENT],
    [CENT, CENT],
    [CENT + 1n, CENT + 1n],
  ])('computes the minimum claim for the setting %s: %s', (setting, due) =>
    expect(leastClaim(setting)).toBe(due),
  );

  const claim = { claimableUsd: 5n * CENT, minClaimUsd: 0n, referralCount: 3, required: 3 };
  test.each([
    [{}, undefined],
    [{ claimableUsd: CENT }, undefined],
    [{ claimableUsd: CENT - 1n }, 'NOTHING_TO_CLAIM'],
    [{ minClaimUsd: 5n * CENT }, undefined],
    [{ minClaimUsd: 5n * CENT + 1n }, 'NOTHING_TO_CLAIM'],
    [{ referralCount: 4 }, undefined],
    [{ referralCount: 2 }, 'LOCKED'],
    [{ claimableUsd: 0n, referralCount: 2 }, 'NOTHING_TO_CLAIM'],
  ])('checks a claim with the fields %o, and rejects it with: %s', (fields, due) =>
    expect(refusalOfClaim({ ...claim, ...fields })).toBe(due),
  );
});

test.each([
  [100_00000000n, '7.5', 7_50000000n],
  [100_00000000n, '0', 0n],
  [1n, '100', 1n],
  // The result is rounded down only once.
  [1n, '99.99', 0n],
  [33_33333333n, '10', 3_33333333n],
  [12_345678n, '0.01', 1234n],
])('computes the commission for a deposit of %s at %s percent: %s', (usd, percent, due) =>
  expect(depositCommission(usd, percent)).toBe(due),
);

describe('days', () => {
  const at = new Date('2028-03-01T00:00:00.000Z');

  test('computes days in UTC', () => {
    expect(dayOf(at)).toBe('2028-03-01');
    expect(dayOf(new Date('2028-02-29T23:59:59.999Z'))).toBe('2028-02-29');
    expect(dayBefore(at, 1)).toBe('2028-02-29');
    expect(dayBefore(at, 366)).toBe('2027-03-01');
  });

  test("makes a day's earnings claimable after the hold period, or immediately without a hold period", () => {
    expect(firstUnripeDay(at, 0)).toBeUndefined();
    expect(firstUnripeDay(at, 1)).toBe('2028-02-29');
    expect(firstUnripeDay(at, 7)).toBe('2028-02-23');
  });

  test('counts a referral as active for activeDays after a bet', () =>
    expect(firstActiveDay(at, 30)).toBe('2028-01-31'));
});

describe('reportDays', () => {
  const now = new Date('2026-11-21T15:00:00.000Z');
  const report = (start?: string, end?: string) =>
    reportDays({ start: start ? new Date(start) : undefined, end: end ? new Date(end) : undefined }, now);

  test('returns the longest allowed report, ending today, by default', () => {
    expect(report()).toEqual({ from: '2025-11-21', to: '2026-11-21' });
    expect(report(undefined, '2026-01-01T00:00:00.000Z')).toEqual({ from: '2025-01-01', to: '2026-01-01' });
    expect(report('2026-11-20T23:59:59.999Z')).toEqual({ from: '2026-11-20', to: '2026-11-21' });
  });

  test('includes the whole first day and the whole last day', () => {
    expect(report('2026-11-03T23:59:00.000Z', '2026-11-03T00:00:00.000Z')).toEqual({
      from: '2026-11-03',
      to: '2026-11-03',
    });
    expect(report('2025-01-01T12:00:00.000Z', '2026-01-01T12:00:00.000Z')).toEqual({
      from: '2025-01-01',
      to: '2026-01-01',
    });
  });

  test('rejects too many days, and an end before the start', () => {
    expect(report('2025-01-01T12:00:00.000Z', '2026-01-02T00:00:00.000Z')).toEqual({
      problem: 'is more than 366 days before endDate',
    });
    expect(report('2026-01-02T00:00:00.000Z', '2026-01-01T23:59:00.000Z')).toEqual({
      problem: 'is after endDate',
    });
  });
});
