import { describe, expect, test } from 'vitest';
import { given } from '../../../../../test/kit/games/chance.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { LIMBO_SCALE, limboPoint, limboTarget, playLimbo, replayLimbo } from './rules.ts';

const DEFAULTS = { minMultiplier: 1.01, maxMultiplier: 1_000_000 };
const WORDS = 2n ** 32n;
const MOST = 100_000_000;

/** The rule, implemented with arbitrary-precision integers. */
function exactPoint(rtpBp: number, u: number): number {
  if (u === 0) return MOST;
  const point = (BigInt(rtpBp) * WORDS) / (100n * BigInt(u));
  return Number(point < 100n ? 100n : point > BigInt(MOST) ? BigInt(MOST) : point);
}

describe('target', () => {
  test('accepts every multiplier from 1.01 to 1,000,000.00 in the format that clients send', () => {
    const wrong = [];
    for (let m = 101; m <= MOST; m += m < 200_000 ? 1 : 9973) {
      const text = `${Math.floor(m / 100)}.${String(m % 100).padStart(2, '0')}`;
      if (limboTarget({ multiplier: Number(text) }, DEFAULTS) !== m) wrong.push(text);
    }
    expect(wrong).toEqual([]);
    expect(limboTarget({ multiplier: 1e6 }, DEFAULTS)).toBe(MOST);
  });

  test.each([
    1,
    1.001,
    1.009999999,
    1.0099999999999998,
    0.99,
    0,
    -2,
    -1.01,
    1.011,
    2.005,
    0.1 + 1.1 + 0.1,
    1.01 + Number.EPSILON,
    999_999.999,
    1_000_000.01,
    1e21,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ])('rejects a target of %d', (multiplier) => {
    expect(limboTarget({ multiplier }, DEFAULTS)).toBeUndefined();
  });

  test('accepts targets equal to the configured minimum and maximum', () => {
    const settings = { minMultiplier: 2, maxMultiplier: 50.5 };
    const accepted = [1.99, 2, 2.01, 50.49, 50.5, 50.51].filter((m) =>
      limboTarget({ multiplier: m }, settings),
    );
    expect(accepted).toEqual([2, 2.01, 50.49, 50.5]);
  });
});

describe('point', () => {
  test.each([
    [0, MOST],
    [1, MOST],
    [4252, MOST],
    [4253, 99_976_901],
    [96, MOST],
    [2 ** 31, 198],
    [2 ** 31 - 1, 198],
    [4_252_017_623, 100],
    [4_252_017_624, 100],
    [4_209_918_438, 101],
    [4_209_918_439, 100],
    [2 ** 32 - 1, 100],
  ])('maps the random word %d to a point of %d hundredths at an RTP of 99 percent', (u, point) => {
    expect(limboPoint(9900, u)).toBe(point);
  });

  test('computes the exact point even when the quotient is a whole number and float division is inexact', () => {
    const whole = [1, 3, 9, 11, 33, 99].flatMap((d) =>
      Array.from({ length: 32 }, (_, k) => d * 2 ** k).filter((u) => u < 2 ** 32),
    );
    const uncut = (u: number) => Number((9900n * WORDS) / (100n * BigInt(u)));
    /** The published formula, computed with floats. The result is wrong by a hundredth for 60 words. */
    const printed = (u: number) => Math.floor((1e8 / ((u / 2 ** 32) * 1e8)) * 0.99 * 100);
    const off = whole.filter((u) => printed(u) !== uncut(u));
    expect(off).toHaveLength(60);
    expect(off).toContain(96);
    expect(off.map((u) => uncut(u) - printed(u))).toEqual(off.map(() => 1));
    expect(whole.filter((u) => limboPoint(9900, u) !== exactPoint(9900, u))).toEqual([]);
  });

  test('computes the exact point for the first and last words, around every power of two and on a grid, at several RTPs', () => {
    const powers = Array.from({ length: 32 }, (_, k) => 2 ** k).flatMap((u) => [u - 1, u, u + 1]);
    const grid = Array.from({ length: 20_000 }, (_, i) => i * 214_748 + (i & 7));
    const words = [...powers, ...grid, 2 ** 32 - 1, 2 ** 32 - 2];
    for (const rtpBp of [8000, 9650, 9900, 9989, 9990])
      expect(words.filter((u) => limboPoint(rtpBp, u) !== exactPoint(rtpBp, u))).toEqual([]);
  });

  test("computes the point from the bet's random stream", () => {
    const seed = '0123456789abcdef'.repeat(4);
    const points = [0, 1, 2, 3].map((nonce) => limboPoint(9900, firstNumber(seed, 'fair', nonce)));
    expect(points).toEqual([219, 251, 157, 108]);
  });
});

describe('bet', () => {
  test('wins when the point reaches the target, and shows the point and the target', () => {
    const won = {
      outcome: { multiplier: 2.19, randomMultiplier: 2.19 },
      multiplier: 219n,
      scale: LIMBO_SCALE,
    };
    expect(playLimbo(219, 219)).toEqual(won);
    expect(playLimbo(220, 219)).toEqual({
      outcome: { multiplier: 2.2, randomMultiplier: 2.19 },
      multiplier: 0n,
      scale: LIMBO_SCALE,
    });
    expect(playLimbo(MOST, MOST).multiplier).toBe(100_000_000n);
  });

  test('replays a bet with the same result, and rejects invalid bets', () => {
    const stored = (multiplier: unknown, rtpBp = 9900) => ({
      game: 'limbo',
      rtpBp,
      inputs: { multiplier },
      outcome: {},
    });
    const terms = { betUsd: 100n, stake: 100n, rate: 10n ** 12n, decimals: 8, maxProfitUsd: 10n ** 12n };
    const again = replayLimbo(stored(1.98), given([2 ** 31]))!;
    expect(again.outcome).toEqual({ multiplier: 1.98, randomMultiplier: 1.98 });
    expect(again.pay(terms)).toEqual({ payout: 198n, payoutUsd: 198n });
    expect(replayLimbo(stored(1.98, 9800), given([2 ** 31]))!.pay(terms).payout).toBe(0n);
    for (const multiplier of [1, 1.005, 1_000_000.01, '2', null, undefined])
      expect(replayLimbo(stored(multiplier), given([0]))).toBeUndefined();
  });
});
