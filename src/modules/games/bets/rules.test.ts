import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownMultiplier, tenThousandths } from './rules.ts';

test('a least multiplier meets exactly the bets that are shown with it or a larger one', () => {
  const least = fc.oneof(
    fc.integer({ min: 0, max: 10_000_000 }).map((n) => n / 10_000),
    fc.double({ min: 0, max: 1e6, noNaN: true }),
  );
  fc.assert(
    fc.property(least, fc.bigInt(1n, 10n ** 14n), fc.bigInt(0n, 10n ** 16n), (wanted, stake, payout) => {
      const shown = shownMultiplier(payout, stake);
      // Decimals beyond the tenth are noise of the number, not of the wish.
      fc.pre(Math.abs(shown - wanted) > 1e-6 || shown === wanted);
      expect(payout * 10_000n >= stake * tenThousandths(wanted)).toBe(shown >= wanted);
    }),
    { seed: 24, numRuns: 3000 },
  );
  for (const n of [0, 1, 10_001, 19_800, 82_000, 1_100_000_001])
    expect(tenThousandths(n / 10_000)).toBe(BigInt(n));
  expect(tenThousandths(1.98001)).toBe(19_801n);
  // In binary a little more and a little less than they are written.
  expect([0.0102, 0.0029].map((least) => least * 10_000)).toEqual([102.00000000000001, 28.999999999999996]);
  expect([0.0102, 0.0029].map(tenThousandths)).toEqual([102n, 29n]);
});

test('what pays although its stakes were taken back has no multiplier', () => {
  expect(shownMultiplier(5n, 0n)).toBe(0);
});
