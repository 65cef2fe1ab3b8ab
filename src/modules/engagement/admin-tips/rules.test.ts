import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ONE, units } from '../../../platform/money.ts';
import { limitExceeded } from './rules.ts';

const LIMITS = { maxUsd: units('1000'), dailyMaxUsd: units('5000') };

test.each([
  ['1000', '0', undefined],
  ['1000.00000001', '0', 'maxUsd'],
  ['1000', '4000', undefined],
  ['1000', '4000.00000001', 'dailyMaxUsd'],
  ['0.00000001', '5000', 'dailyMaxUsd'],
  ['2000', '5000', 'maxUsd'],
])(
  'checks a tip of %s USD after %s USD on the same day, and returns the exceeded limit: %s',
  (usdAmount, todayUsd, expected) => {
    expect(limitExceeded({ usdAmount: units(usdAmount), todayUsd: units(todayUsd) }, LIMITS)).toBe(expected);
  },
);

test('returns no exceeded limit if and only if the amount is within both limits', () => {
  const usd = fc.bigInt({ min: 0n, max: 10_000n * ONE });
  fc.assert(
    fc.property(usd, usd, usd, usd, (usdAmount, todayUsd, maxUsd, dailyMaxUsd) => {
      const exceeded = limitExceeded({ usdAmount, todayUsd }, { maxUsd, dailyMaxUsd });
      const isWithin = usdAmount <= maxUsd && todayUsd + usdAmount <= dailyMaxUsd;
      expect(exceeded === undefined).toBe(isWithin);
    }),
  );
});
