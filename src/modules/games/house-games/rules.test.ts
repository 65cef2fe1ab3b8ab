import { expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import { hundredths } from '../betting/rules.ts';
import { HAS_RTP, hasReachedMaxProfit, inHundredths, PICK_SCALE, pickMultiplier, replayed } from './rules.ts';

test('lets only four games have a configurable RTP', () => {
  expect([...HAS_RTP].sort()).toEqual(['dice', 'limbo', 'mines', 'monkey-run']);
});

test.each([
  [1.1, 110],
  [0.29, 29],
  [-4.35, -435],
  [0, 0],
  [90_071_992_547_409.91, 9_007_199_254_740_991],
  [90_071_992_547_409.92, undefined],
  [1.005, undefined],
  [0.1 + 0.2, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
])('converts %d to hundredths: %s', (value, expected) => expect(hundredths(value)).toBe(expected));

test('converts a published table to exact hundredths', () => {
  expect(inHundredths([3.96, 0, 1.1, 1000])).toEqual([396n, 0n, 110n, 100_000n]);
});

test.each([
  [{ places: 25, traps: 3, picks: 0, rtpBp: 9900 }, PICK_SCALE],
  [{ places: 25, traps: 24, picks: 1, rtpBp: 9900 }, 247_500n],
  [{ places: 25, traps: 1, picks: 24, rtpBp: 9900 }, 247_500n],
  [{ places: 25, traps: 5, picks: 10, rtpBp: 9900 }, 175_153n],
  [{ places: 4, traps: 1, picks: 2, rtpBp: 10_000 }, 20_000n],
  [{ places: 64, traps: 32, picks: 32, rtpBp: 1 }, 1_832_624_140_942_590_534n],
])('returns the multiplier for safe picks %j: %i', (of, multiplier) =>
  expect(pickMultiplier(of)).toBe(multiplier),
);

test.each([
  ['just below', 19_900n, false],
  ['as high as the cap', 20_000n, true],
  ['above', 20_001n, true],
])('detects whether a profit of %s has reached 10 dollars', (_, multiplier, expected) => {
  const bet = { betUsd: units('10'), stake: units('10'), multiplier, scale: 10_000n, rate: 10n ** 12n };
  expect(hasReachedMaxProfit({ ...bet, decimals: 2, maxProfitUsd: units('10.009') })).toBe(expected);
});

test("replays a bet with its outcome and pays according to the bet's terms", () => {
  const outcome = { point: 2 };
  const again = replayed({ outcome, multiplier: 198n, scale: 100n });
  expect(again.outcome).toBe(outcome);
  const terms = { betUsd: 100n, stake: 50n, rate: 2n * 10n ** 12n, decimals: 8, maxProfitUsd: 1000n };
  expect(again.pay(terms)).toEqual({ payout: 99n, payoutUsd: 198n });
});
