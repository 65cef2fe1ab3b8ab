import { afterEach, expect, test, vi } from 'vitest';
import { untilBeat } from './clock.ts';

afterEach(() => vi.restoreAllMocks());
const at = (now: number) => vi.spyOn(performance, 'now').mockReturnValue(now);

test('aligns timers for intervals of one second, more than one second and less', () => {
  at(10_300);
  expect([untilBeat(1000), untilBeat(200), untilBeat(2000)]).toEqual([700, 100, 1700]);
});

test('runs a beat only once when its timer fires slightly early', () => {
  at(10_999);
  expect(untilBeat(1000)).toBe(1001);
});

test('waits for at least the requested pause before the next beat', () => {
  at(10_300);
  expect(untilBeat(1000, 900)).toBe(1700);
  at(11_002);
  expect(untilBeat(1000, 900)).toBe(998);
});
