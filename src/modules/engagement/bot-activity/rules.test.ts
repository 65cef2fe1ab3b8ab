import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAYS, type Day, GAME_TYPES, isPlaying, MANNERS, minuteOf, timeOf } from './rules.ts';

const evening = { behavior: 'CALM', playDays: ['MONDAY'], startMinute: 20 * 60 + 30 } as const;
/** 2026-11-23 is a Monday. */
const at = (time: string, day = 23) => new Date(`2026-11-${day}T${time}Z`);

describe('isPlaying', () => {
  test.each([
    ['before its start', '20:29:59', 23, false],
    ['at its start', '20:30:00', 23, true],
    ['in its last minute', '21:29:59', 23, true],
    ['at its end', '21:30:00', 23, false],
    ['on another day', '20:30:00', 24, false],
    ['a week later', '20:30:00', 30, true],
  ])('decides whether a bot plays %s', (_, time, day, expected) => {
    expect(isPlaying(evening, at(time, day))).toBe(expected);
  });

  test('continues a session after midnight, but only if it started on one of the play days', () => {
    const night = { behavior: 'AGGRESSIVE', playDays: ['MONDAY'], startMinute: 23 * 60 } as const;
    for (const [time, day, expected] of [
      ['22:59:00', 23, false],
      ['23:59:59', 23, true],
      ['00:00:00', 24, true],
      ['02:59:59', 24, true],
      ['03:00:00', 24, false],
      ['00:00:00', 23, false],
      ['23:00:00', 24, false],
    ] as const)
      expect(isPlaying(night, at(time, day)), `${day} ${time}`).toBe(expected);
  });

  test.each([
    ['CALM', 60],
    ['NORMAL', 120],
    ['AGGRESSIVE', 240],
  ] as const)(
    'continues for the whole session of behavior %s (%i minutes) from any start time',
    (behavior, minutes) => {
      const moment = fc.integer({ min: 0, max: 7 * 1440 - 1 });
      const days = fc.subarray([...DAYS], { minLength: 1 });
      fc.assert(
        fc.property(
          days,
          fc.integer({ min: 0, max: 1439 }),
          moment,
          (playDays: Day[], startMinute, minute) => {
            const expected = DAYS.some((day, n) => {
              const since = (minute - (n * 1440 + startMinute) + 7 * 1440) % (7 * 1440);
              return playDays.includes(day) && since < minutes;
            });
            // 2026-11-22 is a Sunday.
            const now = new Date(Date.UTC(2026, 10, 22, 0, minute));
            expect(isPlaying({ behavior, playDays, startMinute }, now)).toBe(expected);
          },
        ),
        { seed: 7, numRuns: 2000 },
      );
    },
  );
});

test.each([
  ['00:00', 0],
  ['00:09', 9],
  ['09:05', 545],
  ['20:30', 1230],
  ['23:59', 1439],
])('converts %s to minute %i of the day and back', (time, minute) => {
  expect([minuteOf(time), timeOf(minute)]).toEqual([minute, time]);
});

test('supports exactly the defined behaviors and game types', () => {
  expect(MANNERS).toEqual({
    CALM: { minutes: 60, oneTurnIn: 30, stakesInCents: [10, 20, 50, 100, 200] },
    NORMAL: { minutes: 120, oneTurnIn: 10, stakesInCents: [50, 100, 200, 500, 1000] },
    AGGRESSIVE: { minutes: 240, oneTurnIn: 4, stakesInCents: [200, 500, 1000, 2000, 5000] },
  });
  expect(GAME_TYPES).toEqual({
    HOUSE_GAME: ['HOUSE_GAME'],
    SLOTS: ['SLOTS'],
    MIXED: ['HOUSE_GAME', 'SLOTS'],
  });
});
