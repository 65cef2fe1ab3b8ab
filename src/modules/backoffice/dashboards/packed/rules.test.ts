import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../periods/rules.ts';
import { forEachPlayer, forEachStep, gapsIn, stepAt, stepsOfDay } from './rules.ts';

const DAY = Date.UTC(2026, 2, 1);
const hour = (n: number) => DAY + n * HOUR_MS;

test('the step that holds a moment', () => {
  const steps = { starts: [hour(0), hour(5), hour(6)], until: hour(8) };
  const at = [-1, 0, 4, 5, 6, 7, 8].map((n) => stepAt(steps, hour(n)));
  expect(at).toEqual([-1, 0, 0, 1, 2, 2, -1]);
  expect(stepAt(steps, hour(5) - 1)).toBe(0);
  expect(stepAt(steps, hour(8) - 1)).toBe(2);
});

test('the steps of the hours of a day', () => {
  const steps = { starts: [hour(2), hour(20)], until: hour(23) };
  expect(stepsOfDay(steps, DAY)).toEqual([-1, -1, ...Array(18).fill(0), 1, 1, 1, -1]);
});

describe('what packed days leave out of a period', () => {
  const gaps = (from: number, until: number, ...days: number[]) =>
    gapsIn(
      { from: hour(from), until: hour(until) },
      days.map((day) => DAY + day * DAY_MS),
    ).map((gap) => [(gap.from - DAY) / HOUR_MS, (gap.until - DAY) / HOUR_MS]);
  test('all of it, nothing, the ends, the middle', () => {
    expect(gaps(0, 48)).toEqual([[0, 48]]);
    expect(gaps(0, 48, 1, 0)).toEqual([]);
    expect(gaps(0, 72, 1)).toEqual([
      [0, 24],
      [48, 72],
    ]);
    expect(gaps(0, 72, 0, 2)).toEqual([[24, 48]]);
  });
  test('a day that is only touched leaves nothing of itself', () => {
    expect(gaps(5, 30, 0)).toEqual([[24, 30]]);
    expect(gaps(5, 30, 0, 1)).toEqual([]);
    expect(gaps(5, 30, 1)).toEqual([[5, 24]]);
  });
});

test('players of a packed day', () => {
  const packed = Buffer.alloc(16);
  packed.writeInt32BE(7, 0);
  packed.writeInt32BE(0b101, 4);
  packed.writeInt32BE(2_000_000_000, 8);
  packed.writeInt32BE(1 << 23, 12);
  const seen: number[][] = [];
  forEachPlayer(packed, (...one) => seen.push(one));
  expect(seen).toEqual([
    [7, 0b101, 0],
    [2_000_000_000, 1 << 23, 1],
  ]);
});

test('each step of a player’s hours once', () => {
  const stepsOfHours = [-1, -1, 0, 0, 0, 1, ...Array(17).fill(1), -1];
  const steps = (...hours: number[]) => {
    const seen: number[] = [];
    forEachStep(
      hours.reduce((bits, n) => bits | (1 << n), 0),
      stepsOfHours,
      (step) => seen.push(step),
    );
    return seen;
  };
  expect(steps(0, 1, 23)).toEqual([]);
  expect(steps(2, 4)).toEqual([0]);
  expect(steps(0, 2, 4, 5, 22, 23)).toEqual([0, 1]);
  expect(steps(22)).toEqual([1]);
});
