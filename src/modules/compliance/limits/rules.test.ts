import { describe, expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import { HIGHEST_LIMIT } from '../gate/rules.ts';
import {
  boundsOf,
  CONFIRMABLE_AFTER_MS,
  DAY_MS,
  directionOf,
  exclusionOf,
  LAPSES_AFTER_MS,
  limitsPlay,
  lowest,
  readLimit,
  type StoredLimit,
} from './rules.ts';

describe('exclusions', () => {
  const at = new Date('2026-11-21T12:00:00Z');
  const later = (ms: number) => new Date(at.getTime() + ms);

  test.each([
    ['a day', DAY_MS, 'COOL_OFF', 0],
    ['a moment less than 180 days', 180 * DAY_MS - 1, 'COOL_OFF', 0],
    ['180 days', 180 * DAY_MS, 'SELF_EXCLUSION', DAY_MS],
    ['five years', 1826 * DAY_MS, 'SELF_EXCLUSION', DAY_MS],
  ])('determines the kind and waiting period of an exclusion of %s', (_, ms, kind, pause) => {
    expect(exclusionOf(at, later(ms))).toEqual({ kind, playFrom: later(ms + pause) });
  });

  test('allows players to confirm looser limits from one day until seven days after the request', () => {
    expect([DAY_MS, CONFIRMABLE_AFTER_MS, LAPSES_AFTER_MS]).toEqual([86_400_000, 86_400_000, 604_800_000]);
  });
});

describe('limits', () => {
  test.each([
    ['SESSION', 'DAY', '1', '1440'],
    ['SESSION', 'WEEK', '1', '10080'],
    ['SESSION', 'MONTH', '1', '44640'],
    ['DEPOSIT', 'DAY', '0', '1000000000'],
    ['WAGER', 'WEEK', '0', '1000000000'],
    ['LOSS', 'MONTH', '0', '1000000000'],
  ] as const)('accepts %s limits by %s from %s to %s inclusive', (type, period, min, max) => {
    expect(boundsOf(type, period)).toEqual({ min, max });
    const read = (text: string) => readLimit(type, period, text);
    const isSession = type === 'SESSION';
    expect(read(min)).toBe(isSession ? 1n : 0n);
    expect(read(max)).toBe(isSession ? BigInt(max) : HIGHEST_LIMIT);
    expect(read(String(BigInt(max) + 1n))).toBeUndefined();
    expect(read('-1')).toBeUndefined();
    expect(read('ten')).toBeUndefined();
    expect(read('10.5')).toBe(isSession ? undefined : units('10.5'));
    expect(read('1000000000.00000001')).toBeUndefined();
    if (isSession) expect(read('0')).toBeUndefined();
  });

  test.each([
    [null, null, 'same'],
    [5n, 5n, 'same'],
    [0n, 0n, 'same'],
    [null, 0n, 'tighter'],
    [null, 5n, 'tighter'],
    [5n, 4n, 'tighter'],
    [5n, 6n, 'looser'],
    [5n, null, 'looser'],
    [0n, null, 'looser'],
  ])('classifies a change from %s to %s as %s', (present, wanted, direction) => {
    expect(directionOf(present, wanted)).toBe(direction);
  });

  test('returns the lowest limit of each type and period, ignoring removed limits', () => {
    const limit = (
      type: StoredLimit['type'],
      period: StoredLimit['period'],
      amount: bigint | null,
    ): StoredLimit => ({
      type,
      period,
      source: 'PLAYER',
      amount,
    });
    expect(lowest([])).toEqual({});
    expect(
      lowest([
        limit('WAGER', 'DAY', 5n),
        limit('WAGER', 'DAY', 4n),
        limit('WAGER', 'DAY', 6n),
        limit('WAGER', 'DAY', null),
        limit('WAGER', 'WEEK', 7n),
        limit('LOSS', 'DAY', 0n),
        limit('LOSS', 'DAY', 1n),
        limit('DEPOSIT', 'MONTH', null),
      ]),
    ).toEqual({ WAGER: { DAY: 4n, WEEK: 7n }, LOSS: { DAY: 0n } });
  });

  test('treats every type except DEPOSIT as a limit on play', () => {
    expect(limitsPlay({})).toBe(false);
    expect(limitsPlay({ DEPOSIT: { DAY: 1n } })).toBe(false);
    for (const type of ['WAGER', 'LOSS', 'SESSION'])
      expect(limitsPlay({ [type]: { DAY: 1n } }), type).toBe(true);
  });
});
