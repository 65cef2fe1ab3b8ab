import { expect, test } from 'vitest';
import { sixDigits } from '../../../../../test/kit/games/exact.ts';
import { LIMBO_SCALE, limboPoint } from './rules.ts';

const WORDS = 2n ** 32n;
const MOST = 100_000_000;

test('has an RTP of 99.000000 to 99.023277 % for all 99,999,900 targets, each of which wins on its exact words', () => {
  // 99 × 2^32 and every product below stay under 2^53; a quotient that is not an integer is at least 1/m away from the next integer.
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
