import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SCENERY_SHARE, shownMultiplier, tenThousandths, whyNotCounted, withScenery } from './rules.ts';

test('finds exactly the bets whose displayed multiplier is at least the requested minimum', () => {
  const least = fc.oneof(
    fc.integer({ min: 0, max: 10_000_000 }).map((n) => n / 10_000),
    fc.double({ min: 0, max: 1e6, noNaN: true }),
  );
  fc.assert(
    fc.property(least, fc.bigInt(1n, 10n ** 14n), fc.bigInt(0n, 10n ** 16n), (wanted, stake, payout) => {
      const shown = shownMultiplier(payout, stake);
      // Smaller differences are floating-point rounding errors, so these cases are skipped.
      fc.pre(Math.abs(shown - wanted) > 1e-6 || shown === wanted);
      expect(payout * 10_000n >= stake * tenThousandths(wanted)).toBe(shown >= wanted);
    }),
    { seed: 24, numRuns: 3000 },
  );
  for (const n of [0, 1, 10_001, 19_800, 82_000, 1_100_000_001])
    expect(tenThousandths(n / 10_000)).toBe(BigInt(n));
  expect(tenThousandths(1.98001)).toBe(19_801n);
  // The binary values of these two numbers are slightly above and slightly below their decimal values.
  expect([0.0102, 0.0029].map((least) => least * 10_000)).toEqual([102.00000000000001, 28.999999999999996]);
  expect([0.0102, 0.0029].map(tenThousandths)).toEqual([102n, 29n]);
});

test('shows no multiplier for a payout without a stake', () => {
  expect(shownMultiplier(5n, 0n)).toBe(0);
});

type Row = { position: bigint; isBet: boolean };
const rowsAt = (positions: readonly number[], isBet: boolean): Row[] =>
  positions.map((position) => ({ position: BigInt(position), isBet }));
const mixed = (bets: readonly number[], scenery: readonly number[]) =>
  withScenery(rowsAt(bets, true), rowsAt(scenery, false)).map(
    ({ position, isBet }) => `${isBet ? 'bet' : 'sim'} ${position}`,
  );

test.each([
  ['no scenery', [9, 8], [], 'bet 9, bet 8'],
  ['nothing but scenery', [], [9, 8, 7, 6, 5], ''],
  ['too few bets', [9, 8, 7], [1], 'bet 9, bet 8, bet 7'],
  ['four bets before one of it', [9, 8, 7, 6], [1], 'bet 9, bet 8, bet 7, bet 6, sim 1'],
  ['it is later than they are', [9, 8, 7, 6], [10], 'bet 9, bet 8, bet 7, bet 6'],
  ['it is among them, too early for its share', [9, 8, 6, 5, 4], [7], 'bet 9, bet 8, bet 6, bet 5, bet 4'],
  ['it is among them', [9, 8, 7, 6, 4], [5], 'bet 9, bet 8, bet 7, bet 6, sim 5, bet 4'],
  ['the latest that fits is shown', [9, 8, 7, 6, 3], [10, 5, 4], 'bet 9, bet 8, bet 7, bet 6, sim 5, bet 3'],
  [
    'two among eight',
    [20, 19, 18, 17, 16, 15, 14, 13],
    [3, 2, 1],
    'bet 20, bet 19, bet 18, bet 17, bet 16, bet 15, bet 14, bet 13, sim 3, sim 2',
  ],
])('adds simulated bets to the feed: %s', (_, bets, scenery, expected) => {
  expect(mixed(bets, scenery).join(', ')).toBe(expected);
});

test('limits simulated bets to one in five rows from the top of the list, drops no bet and keeps the order', () => {
  expect(SCENERY_SHARE).toBe(5);
  const positions = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 200 });
  fc.assert(
    fc.property(positions, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
      const sorted = all.toSorted((a, b) => b - a);
      const isScenery = (position: number) => (position * 7919) % 100 < share * 100;
      const bets = rowsAt(
        sorted.filter((p) => !isScenery(p)),
        true,
      );
      const scenery = rowsAt(sorted.filter(isScenery), false);
      const rows = withScenery(bets, scenery);
      let shown = 0;
      for (const [n, { isBet }] of rows.entries()) {
        if (!isBet) shown++;
        expect(shown * 5).toBeLessThanOrEqual(n + 1);
      }
      expect(rows.filter(({ isBet }) => isBet)).toEqual(bets);
      expect(rows).toEqual(rows.toSorted((a, b) => Number(b.position - a.position)));
      // If all simulated rows are older than the bets, the exact number of simulated rows in the list is known.
      if (scenery.every(({ position }) => position < (bets.at(-1)?.position ?? 0n)))
        expect(shown).toBe(Math.min(scenery.length, Math.floor(bets.length / 4)));
    }),
    { seed: 11, numRuns: 2000 },
  );
});

test.each([
  [null, { counted: 50n }],
  [null, { status: 'ERROR', counted: 50n }],
  ['ROLLED_BACK', { status: 'ROLLBACK', counted: 0n }],
  ['OPEN', { status: 'CREATED', counted: null }],
  ['GAME', { counted: 0n, contributionBp: 0 }],
  ['GAME', { counted: 0n, contributionBp: 99 }],
  ['GRANT_ENDED', { counted: 0n, contributionBp: 100 }],
  ['PUSH', { counted: 0n, uncounted: 'PUSH' }],
  [null, { counted: 25n, uncounted: 'PUSH' }],
] as const)('returns the reason why a bet does not count towards wagering: %s', (reason, facts) => {
  const bet = { status: 'SETTLED', amount: 100n, contributionBp: 5000, uncounted: null };
  expect(whyNotCounted({ ...bet, ...facts })).toBe(reason);
});
