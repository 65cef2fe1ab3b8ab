import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../periods/rules.ts';
import {
  countDifferent,
  createSums,
  forEachPlayer,
  forEachStep,
  gapsIn,
  partsOf,
  stepAt,
  stepsByHour,
  stepsOfDay,
} from './rules.ts';

const DAY = Date.UTC(2026, 2, 1);
const hour = (n: number) => DAY + n * HOUR_MS;

test('finds the time step that contains a given time', () => {
  const steps = { starts: [hour(0), hour(5), hour(6)], until: hour(8) };
  const at = [-1, 0, 4, 5, 6, 7, 8].map((n) => stepAt(steps, hour(n)));
  expect(at).toEqual([-1, 0, 0, 1, 2, 2, -1]);
  expect(stepAt(steps, hour(5) - 1)).toBe(0);
  expect(stepAt(steps, hour(8) - 1)).toBe(2);
});

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

/** Ids on the same page, on adjacent pages and far apart. */
const userId = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(65_535, 65_536, 2_147_483_647));

test('counts the distinct players of one list and of several lists', () => {
  fc.assert(
    fc.property(fc.array(fc.array(userId), { maxLength: 5 }), fc.nat({ max: 5 }), (lists, first) => {
      expect(countDifferent(lists, first)).toEqual({
        each: lists.map((list) => new Set(list).size),
        together: new Set(lists.slice(first).flat()).size,
      });
    }),
    { seed: 3 },
  );
});

test('finds the time step that contains a given hour', () => {
  const steps = { starts: [hour(2), hour(20), hour(21)], until: hour(23) };
  const at = stepsByHour(steps);
  for (let n = -30; n < 60; n++) expect(at(hour(n) / HOUR_MS)).toBe(stepAt(steps, hour(n)));
  expect(at(0)).toBe(-1);
});

const bytesOf = (...amounts: bigint[]) => {
  const view = new DataView(new ArrayBuffer(8 * amounts.length));
  amounts.forEach((amount, i) => {
    view.setBigInt64(8 * i, amount);
  });
  return view;
};

const allOf = (sums: ReturnType<typeof createSums>) => {
  const all: [number, bigint, bigint][] = [];
  sums.forEach((...one) => {
    all.push(one);
  });
  return all;
};

test('computes exact sums per player', () => {
  const amount = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 15n });
  const entry = fc.tuple(
    fc.oneof(userId, fc.nat({ max: 20_000 })),
    fc.oneof(amount, fc.constant(0n)),
    amount,
  );
  fc.assert(
    fc.property(fc.array(entry), (all) => {
      const sums = createSums();
      const bytes = bytesOf(...all.flatMap(([, one, two]) => [one, two]));
      all.forEach(([id], i) => {
        sums.add(id, bytes, 16 * i);
      });
      const total = (id: number, of: 1 | 2) =>
        all.reduce((sum, other) => (other[0] === id ? sum + other[of] : sum), 0n);
      const expected = [...new Set(all.map(([id]) => id))]
        .sort((a, b) => a - b)
        .map((id) => [id, total(id, 1), total(id, 2)]);
      expect(allOf(sums).toSorted(([a], [b]) => a - b)).toEqual(expected);
    }),
    { seed: 4 },
  );
});

test('keeps exact sums of more players than the initial capacity', () => {
  const sums = createSums();
  for (let i = 0; i < 3000; i++) sums.add(1 + (i % 300), bytesOf(BigInt(i), -1n), 0);
  const all = allOf(sums);
  expect(all).toHaveLength(300);
  // The amounts are 0, 300, … 2,700 and 299, 599, … 2,999.
  expect(all[0]).toEqual([1, 13_500n, -10n]);
  expect(all[299]).toEqual([300, 16_490n, -10n]);
});

test('rejects positive and negative sums that exceed 64 bits', () => {
  for (const far of [2n ** 63n - 1n, -(2n ** 63n)]) {
    const sums = createSums();
    sums.add(1, bytesOf(far, 0n), 0);
    sums.add(1, bytesOf(0n, 0n), 0);
    expect(allOf(sums)).toEqual([[1, far, 0n]]);
    sums.add(1, bytesOf(far > 0n ? 1n : -1n, 0n), 0);
    expect(() => allOf(sums)).toThrow(RangeError);
  }
});

test('merges the boundaries of two lists of time steps', () => {
  const days = { starts: [hour(0), hour(24)], until: hour(48) };
  const periods = { starts: [hour(-5), hour(24)], until: hour(30) };
  expect(partsOf(days, periods)).toEqual({
    starts: [-5, 0, 24, 30].map(hour),
    until: hour(48),
  });
});
