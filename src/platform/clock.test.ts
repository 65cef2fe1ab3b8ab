import { afterEach, expect, test, vi } from 'vitest';
import { untilBeat } from './clock.ts';

afterEach(() => vi.restoreAllMocks());
const at = (now: number) => vi.spyOn(performance, 'now').mockReturnValue(now);

test('aligns timers for intervals of less than, exactly and more than one second', () => {
  at(10_300);
  expect([untilBeat(1000), untilBeat(200), untilBeat(2000)]).toEqual([700, 100, 1700]);
});

test('runs only once per interval even if its timer fires slightly early', () => {
  at(10_999);
  expect(untilBeat(1000)).toBe(1001);
});

test('waits at least for the requested pause before the next run', () => {
  at(10_300);
  expect(untilBeat(1000, 900)).toBe(1700);
  at(11_002);
  expect(untilBeat(1000, 900)).toBe(998);
});
