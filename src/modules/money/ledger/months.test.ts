import { expect, test } from 'vitest';
import { firstIdOf, monthOfId } from './rules.ts';

test.each([
  [0, 0n],
  [1, 8_796_093_022_208n],
  [80, 703_687_441_776_640n],
  [1023, 8_998_403_161_718_784n],
])('assigns to month %i the ids from %i up to the first id of the next month', (month, first) => {
  expect(firstIdOf(month)).toBe(first);
  expect(monthOfId(first)).toBe(month);
  expect(monthOfId(firstIdOf(month + 1) - 1n)).toBe(month);
});

test('represents the ids of the last month, in 2105, exactly as a double', () => {
  expect(firstIdOf(1024) - 1n).toBe(BigInt(Number.MAX_SAFE_INTEGER));
});
