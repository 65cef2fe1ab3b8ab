import { limboPoint } from '../../src/modules/games/house-games/limbo/rules.ts';
import { percent } from './fraction.ts';
import type { Prizes } from './smallest.ts';
import { WORDS } from './words.ts';

const RTP = 9900;
const SPAN = Number(WORDS);
const FIRST = 101;
const LAST = 100_000_000;

/**
 * Returns for how many of the 2^32 words a target (in hundredths) wins. The result is the floor of a quotient of two integers below 2^53,
 * so it is exact.
 */
export function limboWords(target: number): number {
  return Math.floor((RTP * SPAN) / (100 * target)) + 1;
}

const LAST_SMALL = 10_000;

/** Returns the prizes of targets from 1.01 to 100.00. Rounding takes a larger share of lower payouts. */
export function* limboBets(): Generator<Prizes> {
  for (let target = FIRST; target <= LAST_SMALL; target++)
    yield {
      whole: WORDS,
      prizes: [{ multiplier: BigInt(target), scale: 100n, ways: BigInt(limboWords(target)) }],
    };
}

/**
 * Computes the returns of all targets from 1.01 to 1,000,000.00 in steps of a hundredth. Doubles are precise enough, because target × words
 * stays below 2^40. Each count is checked against the shipped rule on both sides of the threshold between losing and winning words.
 */
export function limboReturns() {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  let minAt = 0;
  let maxAt = 0;
  for (let target = FIRST; target <= LAST; target++) {
    const words = limboWords(target);
    if (limboPoint(RTP, words - 1) < target || limboPoint(RTP, words) >= target) {
      throw new Error(`limbo ${target / 100} does not win on ${words} words`);
    }
    const value = target * words;
    if (value < min) [min, minAt] = [value, target];
    if (value > max) [max, maxAt] = [value, target];
  }
  const shown = (value: number) => percent({ value: BigInt(value), whole: WORDS * 100n });
  return { min: shown(min), minAt: minAt / 100, max: shown(max), maxAt: maxAt / 100 };
}
