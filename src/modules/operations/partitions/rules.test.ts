import { expect, test } from 'vitest';
import { firstIdOf, monthOfId } from '../../money/ledger/rules.ts';
import { keptFrom, monthOf, monthsNeeded, nameOf, partOf, startOf } from './rules.ts';

const at = (text: string) => new Date(text);

test('assigns every id of a month to that month, including the last id', () => {
  const november = monthOf(at('2026-11-30T23:59:59.999Z'));
  expect([november, nameOf(november)]).toEqual([82, '2026-11']);
  expect(startOf(november)).toEqual(at('2026-11-01T00:00:00Z'));
  expect(monthOf(at('2026-12-01T00:00:00Z'))).toBe(83);
  expect(monthOfId(firstIdOf(82))).toBe(82);
  expect(monthOfId(firstIdOf(83) - 1n)).toBe(82);
  expect(firstIdOf(82) % 1024n).toBe(0n);
});

test('generates ids that are safe integers in JavaScript until the end of 2104', () => {
  expect(firstIdOf(monthOf(at('2105-01-01T00:00:00Z')))).toBeLessThan(2n ** 53n);
});

test('names partitions after their month', () => {
  expect(partOf('bets', '2026-11')).toBe('bets_2026_11');
  expect(partOf('ledger_lines', 'before')).toBe('ledger_lines_before');
  expect(partOf('bets', '2029-09')).toBe('bets_2029_09');
  for (const bad of ['2026-13', '2026-00', '2026_11', '12026-11', '2026-111', '2019-12', '', '1', "x'"])
    expect(() => partOf('bets', bad)).toThrow(
      new RangeError(`${bad} is no month: write it as 2026-11, or before`),
    );
});

test('requires the current month, the next two months, and further ones if ids are ahead of time', () => {
  const now = at('2026-11-22T00:00:00Z');
  expect(monthsNeeded(now, firstIdOf(82) + 5n)).toEqual([82, 83, 84]);
  expect(monthsNeeded(now, 4096n)).toEqual([82, 83, 84]);
  expect(monthsNeeded(now, firstIdOf(83) + 5n)).toEqual([82, 83, 84, 85]);
});

test('keeps all months when the setting is 0', () => {
  expect(keptFrom(at('2026-11-22T00:00:00Z'), 0)).toBeUndefined();
  expect(keptFrom(at('2026-11-22T00:00:00Z'), 61)).toBe(21);
});
