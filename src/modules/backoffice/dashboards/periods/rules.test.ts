import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  dateOf,
  daysOf,
  findZone,
  HOUR_MS,
  hoursOf,
  isOption,
  nameOf,
  OPTIONS,
  periodOf,
  previousOf,
  rangeOf,
  runsOf,
  startOf,
  stepAt,
  stepsOf,
  TIME_GROUPS,
  TIME_RANGES,
  type TimeRange,
  UTC,
  withPrevious,
} from './rules.ts';

const at = (text: string) => Date.parse(text.length === 10 ? `${text}T00:00:00.000Z` : `${text}:00.000Z`);
const named = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T00:00', '');
const zone = (name: string) => findZone(name)!;

describe('preset ranges', () => {
  const table: [TimeRange, string, string, string][] = [
    // The day is a Wednesday.
    ['TODAY', '2026-03-04T10:30', '2026-03-04', '2026-03-05'],
    ['YESTERDAY', '2026-03-04T10:30', '2026-03-03', '2026-03-04'],
    ['LAST_7_DAYS', '2026-03-04T10:30', '2026-02-26', '2026-03-05'],
    ['LAST_30_DAYS', '2026-03-04T10:30', '2026-02-03', '2026-03-05'],
    ['THIS_MONTH', '2026-03-04T10:30', '2026-03-01', '2026-03-05'],
    ['LAST_MONTH', '2026-03-04T10:30', '2026-02-01', '2026-03-01'],
    ['THIS_YEAR', '2026-03-04T10:30', '2026-01-01', '2026-03-05'],
    // The first and the last moment of a year.
    ['YESTERDAY', '2026-01-01', '2025-12-31', '2026-01-01'],
    ['THIS_MONTH', '2026-01-01', '2026-01-01', '2026-01-02'],
    ['LAST_MONTH', '2026-01-01', '2025-12-01', '2026-01-01'],
    ['THIS_YEAR', '2026-12-31T23:59', '2026-01-01', '2027-01-01'],
    ['LAST_MONTH', '2028-03-31', '2028-02-01', '2028-03-01'],
  ];
  test.each(table)('%s at %s', (range, now, from, until) => {
    const period = rangeOf(range as Exclude<TimeRange, 'CUSTOM'>, at(now));
    expect([named(period.from), named(period.until)]).toEqual([from, until]);
  });

  test('allows only the supported steps for each preset range', () => {
    const allowed = TIME_RANGES.map((range) => [
      range,
      TIME_GROUPS.filter((group) => isOption(range, group)),
    ]);
    expect(Object.fromEntries(allowed)).toEqual(OPTIONS);
    expect(TIME_RANGES).toHaveLength(8);
    expect(isOption('TODAY', 'DAY')).toBe(false);
    expect(isOption('LAST_7_DAYS', 'WEEK')).toBe(false);
    expect(isOption('LAST_30_DAYS', 'HOUR')).toBe(false);
    expect(isOption('THIS_MONTH', 'MONTH')).toBe(false);
    expect(isOption('THIS_YEAR', 'HOUR')).toBe(false);
  });

  test('compares each preset range with the preceding period of equal length', () => {
    const period = { from: at('2026-03-01'), until: at('2026-03-05') };
    expect(previousOf(period)).toEqual({ from: at('2026-02-25'), until: at('2026-03-01') });
    expect(withPrevious(period)).toEqual({
      starts: [at('2026-02-25'), at('2026-03-01')],
      until: at('2026-03-05'),
    });
  });
});

describe('the hours of a period', () => {
  const hours = (start: string, end: string, name = 'UTC') => {
    const { from, until } = hoursOf({ start: Date.parse(start), end: Date.parse(end) }, zone(name));
    return [named(from), named(until)];
  };
  test('includes an hour completely if the period contains part of it', () => {
    expect(hours('2026-03-01T10:00:00.000Z', '2026-03-01T12:00:00.000Z')).toEqual([
      '2026-03-01T10:00',
      '2026-03-01T12:00',
    ]);
    expect(hours('2026-03-01T10:59:59.999Z', '2026-03-01T12:00:00.001Z')).toEqual([
      '2026-03-01T10:00',
      '2026-03-01T13:00',
    ]);
  });
  test('accepts the last millisecond of a day as the end of a period', () => {
    expect(hours('2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z')).toEqual([
      '2026-03-01',
      '2026-03-02',
    ]);
    expect(hours('2026-02-28T18:30:00.000Z', '2026-03-01T18:29:59.999Z', 'Asia/Kolkata')).toEqual([
      '2026-02-28T18:00',
      '2026-03-01T18:00',
    ]);
  });
  test('treats a midnight within an hour as the start of that hour, both at the start and at the end of a period', () => {
    expect(hours('2026-02-28T18:30:00.000Z', '2026-03-07T18:30:00.000Z', 'Asia/Kolkata')).toEqual([
      '2026-02-28T18:00',
      '2026-03-07T18:00',
    ]);
    expect(hours('2026-02-28T18:15:00.000Z', '2026-03-07T18:15:00.000Z', 'Asia/Kathmandu')).toEqual([
      '2026-02-28T18:00',
      '2026-03-07T18:00',
    ]);
    // In UTC, this time is not midnight.
    expect(hours('2026-02-28T18:30:00.000Z', '2026-03-07T18:30:00.000Z')).toEqual([
      '2026-02-28T18:00',
      '2026-03-07T19:00',
    ]);
  });
});

describe('steps', () => {
  const steps = (from: string, until: string, group: (typeof TIME_GROUPS)[number], name = 'UTC') =>
    stepsOf({ from: at(from), until: at(until) }, group, { zone: zone(name) })!.map(named);

  test('divides a period into hours', () => {
    expect(steps('2026-03-01T22:00', '2026-03-02T01:00', 'HOUR')).toEqual([
      '2026-03-01T22:00',
      '2026-03-01T23:00',
      '2026-03-02',
    ]);
  });
  test('divides a period into days, of which the first begins at the start of the period', () => {
    expect(steps('2026-02-27T05:00', '2026-03-02T03:00', 'DAY')).toEqual([
      '2026-02-27T05:00',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ]);
  });
  test('divides a period into weeks that begin on Monday', () => {
    // 2026-03-04 is a Wednesday, 2026-03-09 a Monday.
    expect(steps('2026-03-04', '2026-03-17', 'WEEK')).toEqual(['2026-03-04', '2026-03-09', '2026-03-16']);
    expect(steps('2026-03-09', '2026-03-16', 'WEEK')).toEqual(['2026-03-09']);
    expect(steps('2026-03-08T23:00', '2026-03-09T01:00', 'WEEK')).toEqual(['2026-03-08T23:00', '2026-03-09']);
  });
  test('divides a period into months', () => {
    expect(steps('2025-12-31', '2026-03-02', 'MONTH')).toEqual([
      '2025-12-31',
      '2026-01-01',
      '2026-02-01',
      '2026-03-01',
    ]);
  });
  test('begins each day at midnight in the time zone, even across both clock changes', () => {
    // Berlin changes from UTC+1 to UTC+2 on 2026-03-29, and back on 2026-10-25.
    expect(steps('2026-03-27T23:00', '2026-03-30T22:00', 'DAY', 'Europe/Berlin')).toEqual([
      '2026-03-27T23:00',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
    ]);
    expect(steps('2026-10-23T22:00', '2026-10-26T23:00', 'DAY', 'Europe/Berlin')).toEqual([
      '2026-10-23T22:00',
      '2026-10-24T22:00',
      '2026-10-25T23:00',
    ]);
  });
  test('begins a day with the hour that contains midnight in zones with half-hour and quarter-hour offsets', () => {
    expect(steps('2026-02-28T18:00', '2026-03-02T18:00', 'DAY', 'Asia/Kolkata')).toEqual([
      '2026-02-28T18:00',
      '2026-03-01T18:00',
    ]);
    expect(steps('2026-03-01T18:00', '2026-03-03T18:00', 'DAY', 'Asia/Kathmandu')).toEqual([
      '2026-03-01T18:00',
      '2026-03-02T18:00',
    ]);
    expect(steps('2026-03-02T02:00', '2026-03-04T02:00', 'DAY', 'America/St_Johns')).toEqual([
      '2026-03-02T02:00',
      '2026-03-02T03:00',
      '2026-03-03T03:00',
    ]);
  });
  test('begins weeks and months by the calendar of the time zone', () => {
    // In Tokyo, Monday 2026-03-09 begins on Sunday at 15:00 UTC, and March begins on 2026-02-28 at 15:00 UTC.
    expect(steps('2026-03-07T15:00', '2026-03-10T15:00', 'WEEK', 'Asia/Tokyo')).toEqual([
      '2026-03-07T15:00',
      '2026-03-08T15:00',
    ]);
    expect(steps('2026-02-27T15:00', '2026-03-02T15:00', 'MONTH', 'Asia/Tokyo')).toEqual([
      '2026-02-27T15:00',
      '2026-02-28T15:00',
    ]);
  });
  test('omits a date that the time zone skipped', () => {
    // Samoa skipped 30 December 2011.
    const days = steps('2011-12-28T10:00', '2012-01-01T10:00', 'DAY', 'Pacific/Apia');
    expect(days).toEqual(['2011-12-28T10:00', '2011-12-29T10:00', '2011-12-30T10:00', '2011-12-31T10:00']);
    const dates = days.map((day) => nameOf(dateOf(at(day), zone('Pacific/Apia'))));
    expect(dates).toEqual(['2011-12-28', '2011-12-29', '2011-12-31', '2012-01-01']);
  });
  test('begins a day with its first existing hour when a time zone skips midnight', () => {
    // On 2018-11-04 the clocks of São Paulo skipped the hour after midnight.
    expect(steps('2018-11-03T03:00', '2018-11-05T02:00', 'DAY', 'America/Sao_Paulo')).toEqual([
      '2018-11-03T03:00',
      '2018-11-04T03:00',
    ]);
  });
  test('rejects a period with more steps than the maximum', () => {
    const period = { from: at('2026-03-01'), until: at('2026-03-01') + 10 * HOUR_MS };
    expect(stepsOf(period, 'HOUR', { most: 10 })).toHaveLength(10);
    expect(stepsOf(period, 'HOUR', { most: 9 })).toBeUndefined();
    expect(
      stepsOf({ from: at('1970-01-01'), until: at('2099-12-31') }, 'HOUR', { most: 1000 }),
    ).toBeUndefined();
  });
});

test('accepts only the names of existing time zones', () => {
  for (const name of ['UTC', 'Europe/Malta', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
    expect(findZone(name)).toBeDefined();
  for (const name of ['', 'utc+2', '+05:30', 'Mars/Olympus', 'Europe/', '../etc', 'Europe/Malta '])
    expect(findZone(name), name).toBeUndefined();
});

test('lists a day as divided only if a step begins or ends within it', () => {
  const steps = {
    starts: [at('2026-03-01'), at('2026-03-02T05:00'), at('2026-03-04')],
    until: at('2026-03-05T01:00'),
  };
  const { from, until, cut } = daysOf(steps);
  expect([named(from), named(until), cut.map(named)]).toEqual([
    '2026-03-01',
    '2026-03-06',
    ['2026-03-02', '2026-03-05'],
  ]);
  const wholeDays = { from: at('2026-03-01'), until: at('2026-03-03') };
  expect(daysOf({ starts: [wholeDays.from], until: wholeDays.until })).toEqual({ ...wholeDays, cut: [] });
});

test('returns the period from the first step to the end of the last one', () => {
  const [from, middle, until] = [at('2026-03-01'), at('2026-03-02'), at('2026-03-05')];
  expect(periodOf({ starts: [from, middle], until })).toEqual({ from, until });
});

test('divides a period without gaps into steps that begin at the start of a day, in any time zone', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Pacific/Chatham',
  ];
  const hour = fc.integer({ min: at('2024-01-01') / HOUR_MS, max: at('2027-01-01') / HOUR_MS });
  const asked = fc.record({
    name: fc.constantFrom(...zones),
    group: fc.constantFrom(...TIME_GROUPS),
    first: hour,
    length: fc.integer({ min: 1, max: 2000 }),
  });
  fc.assert(
    fc.property(asked, ({ name, group, first, length }) => {
      const period = { from: first * HOUR_MS, until: (first + length) * HOUR_MS };
      const starts = stepsOf(period, group, { zone: zone(name) })!;
      expect(starts[0]).toBe(period.from);
      expect(starts.at(-1)!).toBeLessThan(period.until);
      starts.slice(1).forEach((start, i) => {
        expect(start).toBeGreaterThan(starts[i]!);
        expect(start % HOUR_MS).toBe(0);
        if (group === 'HOUR') return;
        const date = dateOf(start, zone(name));
        expect(startOf(date, zone(name))).toBe(start);
        expect(dateOf(start - HOUR_MS, zone(name))).toBeLessThan(date);
        if (group === 'WEEK') expect(new Date(date).getUTCDay()).toBe(1);
        if (group === 'MONTH') expect(new Date(date).getUTCDate()).toBe(1);
        if (group === 'DAY') expect(start - starts[i]!).toBeLessThanOrEqual(DAY_MS + HOUR_MS);
      });
    }),
    { seed: 9, numRuns: 150 },
  );
});

test('treats UTC as a zone without offset', () => {
  expect(findZone('UTC')).toBe(UTC);
  const at = Date.UTC(2026, 2, 29, 23, 59, 59, 999);
  expect(UTC.dateAt(at)).toBe(Date.UTC(2026, 2, 29));
});

test('merges consecutive days into one range', () => {
  const day = (n: number) => Date.UTC(2026, 2, 1 + n);
  const runs = (...days: number[]) => runsOf(days.map(day)).map(({ from, until }) => [from, until]);
  expect(runs()).toEqual([]);
  expect(runs(3, 1, 2, 6)).toEqual([
    [day(1), day(4)],
    [day(6), day(7)],
  ]);
});

const hourOn = (n: number) => Date.UTC(2026, 2, 1) + n * HOUR_MS;

test('finds the time step that contains a given time', () => {
  const steps = { starts: [hourOn(0), hourOn(5), hourOn(6)], until: hourOn(8) };
  const at = [-1, 0, 4, 5, 6, 7, 8].map((n) => stepAt(steps, hourOn(n)));
  expect(at).toEqual([-1, 0, 0, 1, 2, 2, -1]);
  expect(stepAt(steps, hourOn(5) - 1)).toBe(0);
  expect(stepAt(steps, hourOn(8) - 1)).toBe(2);
});
