import { afterEach, expect, test, vi } from 'vitest';
import { untilBeat } from './clock.ts';

afterEach(() => vi.restoreAllMocks());
const at = (now: number) => vi.spyOn(performance, 'now').mockReturnValue(now);

test('what repeats every second, and what repeats more often, wakes the process at the same moments', () => {
  at(10_300);
  expect([untilBeat(1000), untilBeat(200), untilBeat(2000)]).toEqual([700, 100, 1700]);
});

test('a timer that fires a little early makes no second beat of one', () => {
  at(10_999);
  expect(untilBeat(1000)).toBe(1001);
});

test('a pause is granted before the next beat', () => {
  at(10_300);
  expect(untilBeat(1000, 900)).toBe(1700);
  at(11_002);
  expect(untilBeat(1000, 900)).toBe(998);
});
