import { afterEach, describe, expect, test } from 'vitest';
import { relativeDay } from '../web/kit/intl.ts';
import { kit } from '../web/kit/words.ts';
import { isPositive, percentOf, rest, sum } from '../web/lobby/amounts.ts';

describe('amounts of the rewards', () => {
  test('adds and subtracts decimal strings exactly', () => {
    expect(sum(['0.1', '0.2', '1000000000.00000001'])).toBe('1000000000.30000001');
    expect(sum([])).toBe('0');
    expect(rest('10', '9.99999999')).toBe('0.00000001');
    expect(rest('10', '12')).toBe('0');
    expect([isPositive('0.00000001'), isPositive('0'), isPositive('-1')]).toEqual([true, false, false]);
  });

  test('rounds the percentage down, so that 100 means reached', () => {
    expect(percentOf('9999.99', '10000')).toBe(99);
    expect(percentOf('10000', '10000')).toBe(100);
    expect(percentOf('25000', '10000')).toBe(100);
    expect(percentOf('0', '10000')).toBe(0);
    expect(percentOf('-5', '10000')).toBe(0);
    expect(percentOf('0', '0')).toBe(100);
  });
});

describe('names of days', () => {
  const { locale } = kit;
  afterEach(() => {
    kit.locale = locale;
  });
  const now = new Date(2026, 10, 29, 0, 30);

  test.each([
    ['en-GB', 'Today', 'Yesterday'],
    ['de', 'Heute', 'Gestern'],
    ['pt-BR', 'Hoje', 'Ontem'],
  ])('names today and yesterday in %s, and no other days', (language, today, yesterday) => {
    kit.locale = language;
    expect(relativeDay(new Date(2026, 10, 29, 0, 1), now)).toBe(today);
    expect(relativeDay(new Date(2026, 10, 28, 23, 59), now)).toBe(yesterday);
    expect(relativeDay(new Date(2026, 10, 27, 23, 59), now)).toBeUndefined();
  });
});
