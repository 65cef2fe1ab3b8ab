import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ONE, units } from '../../../platform/money.ts';
import { dailyLimit, leftOf, purseBlocker, sideReached } from './rules.ts';

const TERMS = { leastUsd: units('100'), wagerPercent: 10 };
const usd = fc.bigInt({ min: 0n, max: 10_000_000n * ONE });
const day = fc.record({ usedUsd: usd, limitUsd: usd });

test.each([
  ['0', '100'],
  ['1000', '100'],
  ['1000.1', '100.01'],
  ['10000', '1000'],
  ['5000000', '500000'],
])(
  'computes the daily limit for a VIP level that requires %s US dollars of wagering: %s',
  (levelUsd, expected) => {
    expect(dailyLimit(TERMS, units(levelUsd))).toBe(units(expected));
  },
);

test('uses the larger of the two limits, and never returns a lower limit for a higher level', () => {
  fc.assert(
    fc.property(usd, usd, fc.nat(100), (leastUsd, levelUsd, wagerPercent) => {
      const limit = dailyLimit({ leastUsd, wagerPercent }, levelUsd);
      const ofLevel = (levelUsd * BigInt(wagerPercent)) / 100n;
      expect(limit >= leastUsd && limit >= ofLevel && (limit === leastUsd || limit === ofLevel)).toBe(true);
      expect(dailyLimit({ leastUsd, wagerPercent }, levelUsd + ONE) >= limit).toBe(true);
    }),
  );
});

test('never returns a negative remaining limit', () => {
  expect(leftOf({ usedUsd: units('97.5'), limitUsd: units('100') })).toBe(units('2.5'));
  expect(leftOf({ usedUsd: units('100'), limitUsd: units('100') })).toBe(0n);
  expect(leftOf({ usedUsd: units('1000'), limitUsd: units('100') })).toBe(0n);
});

test("accepts a tip that uses up a limit exactly, rejects one unit more, and checks the sender's limit first", () => {
  fc.assert(
    fc.property(day, day, (sent, received) => {
      const [mine, theirs] = [leftOf(sent), leftOf(received)];
      const fits = mine < theirs ? mine : theirs;
      expect(sideReached(fits, { sent, received })).toBeUndefined();
      expect(sideReached(fits + 1n, { sent, received })).toBe(mine <= theirs ? 'SENT' : 'RECEIVED');
    }),
  );
});

test.each([
  [[], 'INSUFFICIENT_BALANCE'],
  [[{ cashUsd: '0.99', hasGrant: false }], 'INSUFFICIENT_BALANCE'],
  [[{ cashUsd: '1', hasGrant: false }], undefined],
  [[{ cashUsd: '1', hasGrant: true }], 'ROLLOVER_OPEN'],
  [
    [
      { cashUsd: '5', hasGrant: true },
      { cashUsd: '0.99', hasGrant: false },
    ],
    'ROLLOVER_OPEN',
  ],
  [
    [
      { cashUsd: '5', hasGrant: true },
      { cashUsd: '1', hasGrant: false },
    ],
    undefined,
  ],
] as const)(
  'for the balances %j, finds the reason that blocks a tip of one dollar: %s',
  (purses, expected) => {
    const own = purses.map(({ cashUsd, hasGrant }) => ({ cashUsd: units(cashUsd), hasGrant }));
    expect(purseBlocker(own, ONE)).toBe(expected);
  },
);
