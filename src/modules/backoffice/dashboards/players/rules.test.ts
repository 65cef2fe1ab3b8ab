import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS, stepAt } from '../periods/rules.ts';
import { countDifferent, createSums, partsOf, stepsByHour } from './rules.ts';

const DAY = Date.UTC(2026, 2, 1);
const hour = (n: number) => DAY + n * HOUR_MS;

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
