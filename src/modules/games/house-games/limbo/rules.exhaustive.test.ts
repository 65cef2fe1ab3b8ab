import { expect, test } from 'vitest';
import { sixDigits } from '../../../../../test/kit/games/exact.ts';
import { LIMBO_SCALE, limboPoint } from './rules.ts';

const WORDS = 2n ** 32n;
const MOST = 100_000_000;

test('computes an RTP of 99.000000 to 99.023277 % for all 99,999,900 targets, and wins on exactly the right random words for each', () => {
  // 99 × 2^32 and all products below are less than 2^53. A quotient that is not an integer differs from the next integer by at least 1/m,
  // so the floor is exact.
  const all = (9900 * 2 ** 32) / 100;
  let [least, leastAt, most, mostAt, wrong] = [Number.POSITIVE_INFINITY, 0, 0, 0, 0];
  for (let m = 101; m <= MOST; m++) {
    const border = Math.floor(all / m);
    if (limboPoint(9900, border) < m || limboPoint(9900, border + 1) >= m) wrong++;
    const paid = (border + 1) * m;
    if (paid < least) [least, leastAt] = [paid, m];
    if (paid > most) [most, mostAt] = [paid, m];
  }
  expect(wrong).toBe(0);
  const percent = (paid: number) => sixDigits(BigInt(paid), WORDS * LIMBO_SCALE);
  expect([percent(least), leastAt / 100]).toEqual(['99.000000', 1.19]);
  expect([percent(most), mostAt / 100]).toEqual(['99.023277', 999_769.01]);
});
