import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../periods/rules.ts';
import { forEachPlayer, forEachStep, gapsIn, stepsOfDay } from './rules.ts';

const DAY = Date.UTC(2026, 2, 1);
const hour = (n: number) => DAY + n * HOUR_MS;

test('returns the time step of each hour of a day', () => {
  const steps = { starts: [hour(2), hour(20)], until: hour(23) };
  expect(stepsOfDay(steps, DAY)).toEqual([-1, -1, ...Array(18).fill(0), 1, 1, 1, -1]);
});

describe('the parts of a period outside packed days', () => {
  const gaps = (from: number, until: number, ...days: number[]) =>
    gapsIn(
      { from: hour(from), until: hour(until) },
      days.map((day) => DAY + day * DAY_MS),
    ).map((gap) => [(gap.from - DAY) / HOUR_MS, (gap.until - DAY) / HOUR_MS]);
  test('returns the whole period, nothing, its ends or its middle, depending on which days are packed', () => {
    expect(gaps(0, 48)).toEqual([[0, 48]]);
    expect(gaps(0, 48, 1, 0)).toEqual([]);
    expect(gaps(0, 72, 1)).toEqual([
      [0, 24],
      [48, 72],
    ]);
    expect(gaps(0, 72, 0, 2)).toEqual([[24, 48]]);
  });
  test('excludes a packed day even if the period covers only part of it', () => {
    expect(gaps(5, 30, 0)).toEqual([[24, 30]]);
    expect(gaps(5, 30, 0, 1)).toEqual([]);
    expect(gaps(5, 30, 1)).toEqual([[5, 24]]);
  });
});

test('reads the players of a packed day', () => {
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

test('visits each time step of a player’s hours once', () => {
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
