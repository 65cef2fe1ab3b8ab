import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  currencyToUsdDown,
  currencyToUsdUp,
  formatRate,
  formatUnits,
  isTooMuch,
  MAX_UNITS,
  mulDivDown,
  ONE,
  parseNumber,
  parseRate,
  parseUnits,
  percentDown,
  roundDown,
  units,
  usdToCurrencyDown,
} from './money.ts';

describe('parseNumber', () => {
  test.each([
    [0, 0n],
    [1, ONE],
    [0.01, 1_000_000n],
    [1e-8, 1n],
    [1.1e-7, 11n],
    [0.0000099, 990n],
    [1.1, 110_000_000n],
    [123456.78901234, 12_345_678_901_234n],
    [92233720368.54773, 9_223_372_036_854_773_000n],
  ])('%d is %i', (value, amount) => expect(parseNumber(value)).toBe(amount));

  test.each([
    -1,
    -1e-7,
    1e-9,
    1e-10,
    1.5e-8,
    0.1 + 0.2,
    1.0000000000000002,
    5e-324,
    92233720368.54776,
    1e21,
    Number.NaN,
    1 / 0,
  ])('rejects %d', (value) => expect(parseNumber(value)).toBeUndefined());

  test('parses every amount that a double can represent exactly', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), (amount) => {
        expect(parseNumber(Number(formatUnits(amount)))).toBe(amount);
      }),
      { seed: 45 },
    );
  });
});

describe('parseUnits', () => {
  test.each([
    ['0', 0n],
    ['1', ONE],
    ['0.01', 1_000_000n],
    ['0.00000001', 1n],
    ['1.50', 150_000_000n],
    ['1.500000000000000000', 150_000_000n],
    ['0.000000000000000000', 0n],
    ['999.99999999', 99_999_999_999n],
    ['92233720368.54775807', MAX_UNITS],
    ['92233720368.547758070', MAX_UNITS],
  ])('%s is %i', (text, amount) => expect(parseUnits(text)).toBe(amount));

  test.each(['92233720368.54775808', '92233720369', '100000000000', '999999999999.99999999'])(
    'rejects %s, which exceeds the database column',
    (text) => expect(parseUnits(text)).toBeUndefined(),
  );

  test.each([
    ['1.23', 2, 123_000_000n],
    ['1.230', 2, 123_000_000n],
    ['1.231', 2, undefined],
    ['1.0000001', 6, undefined],
    ['1.000001', 6, 100_000_100n],
    ['1.0', 0, ONE],
    ['1.1', 0, undefined],
    ['1.123456789', 8, undefined],
    ['1.123456789', 18, undefined],
  ])('reads %s with at most %i decimals', (text, decimals, amount) => {
    expect(parseUnits(text, decimals)).toBe(amount);
  });

  test.each([
    ['92233720368.54775807', 8, false],
    ['92233720368.54775808', 8, true],
    ['92233720368.5477580800', 8, true],
    ['92233720368.54775808', 7, false],
    ['92233720369', 0, true],
    ['92233720368', 0, false],
    ['1000000000000', 8, false],
    ['-92233720369', 8, false],
    ['1e12', 8, false],
  ])('checks whether %s with at most %i decimals is too large: %s', (text, decimals, expected) => {
    expect(isTooMuch(text, decimals)).toBe(expected);
  });

  const poisoned = [
    ...'-1 -0 -0.01 -0.00000001 +5 +0 --1 - + −1 1- (1) 0-1'.split(' '),
    ...'NaN Infinity -Infinity nan null undefined true false abc {} [5] 5n'.split(' '),
    ...'1e3 1E3 1e-8 1e+3 1e400 0e0 5e-324 0x10 0X1F 0b1 0o7 1_000 00 01 007 00.5'.split(' '),
    ...". .5 5. 1,5 1.000,50 1,000.50 1..5 1.5. 1.2.3 1.-5 0,01 1٫5 5' 5;-- 5/1 $5 5$ 5% €5".split(' '),
    ...'٥ ٣.٥ ۵ ५ ５ ² ½ Ⅴ'.split(' '),
    ...'| | 5 | 5|5 |1 000|5 USD|\t5|5\n|\n5|5\r\n|5\u00a0|\ufeff5|\u200b5|1\u202e5|\0|5\0|\x005'.split('|'),
    '1'.repeat(13),
    '1'.repeat(40),
    '0'.repeat(40),
    '9'.repeat(2 ** 20),
    `0.${'1'.repeat(19)}`,
    `0.${'0'.repeat(19)}`,
    `1.${'0'.repeat(2 ** 20)}`,
  ];

  test.each(poisoned.map((text) => [text.slice(0, 44), text]))(
    'rejects the malformed amount %j',
    (_, text) => {
      expect(parseUnits(text)).toBeUndefined();
      expect(parseUnits(text, 18)).toBeUndefined();
      expect(() => units(text)).toThrow(new RangeError(`not an amount: ${text}`));
    },
  );

  test('includes at least 70 malformed strings', () =>
    expect(new Set(poisoned).size).toBeGreaterThanOrEqual(70));
});

describe('formatUnits', () => {
  test.each([
    [0n, '0'],
    [1n, '0.00000001'],
    [-1n, '-0.00000001'],
    [-50_000_000n, '-0.5'],
    [ONE, '1'],
    [10n * ONE, '10'],
    [198_000_000n, '1.98'],
    [100n * ONE + 10n, '100.0000001'],
    [MAX_UNITS, '92233720368.54775807'],
    [-MAX_UNITS - 1n, '-92233720368.54775808'],
    [10n ** 30n, `1${'0'.repeat(22)}`],
  ])('%i is %s', (amount, text) => expect(formatUnits(amount)).toBe(text));

  test('formats an amount as the string that parseUnits parses', () => {
    const amount = fc.bigInt({ min: 0n, max: MAX_UNITS });
    fc.assert(
      fc.property(amount, (value) => parseUnits(formatUnits(value)) === value),
      { seed: 6, numRuns: 10_000 },
    );
    expect(units('1.98')).toBe(198_000_000n);
  });
});

describe('rates', () => {
  test.each([
    ['1', 10n ** 12n, '1'],
    ['0.000000000001', 1n, '0.000000000001'],
    ['64000.123456789012', 64_000_123_456_789_012n, '64000.123456789012'],
    ['1.0000000000019', 10n ** 12n + 1n, '1.000000000001'],
    ['9223372.036854775807', 2n ** 63n - 1n, '9223372.036854775807'],
    [`0.1${'0'.repeat(29)}`, 10n ** 11n, '0.1'],
  ])('%s', (text, rate, shown) => {
    expect(parseRate(text)).toBe(rate);
    expect(formatRate(rate)).toBe(shown);
  });

  test.each([
    '0',
    '0.0',
    '0.0000000000009',
    '',
    '-1',
    '+1',
    '1e3',
    'NaN',
    ' 1',
    '1.',
    '.5',
    '9223372.036854775808',
    '10000000',
    '٣',
    '1\n',
  ])('rejects the rate %j', (text) => expect(parseRate(text)).toBeUndefined());

  test.each([
    ['1', '3', 8, '0.33333333'],
    ['1', '3', 2, '0.33'],
    ['0.01', '64000', 8, '0.00000015'],
    ['1.239', '1', 2, '1.23'],
    ['1', '0.000000000001', 2, '1000000000000'],
  ])('converts %s USD at %s with %i decimals to %s', (usd, rate, decimals, amount) => {
    expect(formatUnits(usdToCurrencyDown(units(usd), parseRate(rate)!, decimals))).toBe(amount);
  });

  test.each([
    ['0.33333333', '3', '0.99999999'],
    ['0.00000001', '0.99', '0'],
    ['12.5', '1', '12.5'],
    ['0.00000015', '64000', '0.0096'],
  ])('converts %s at %s to %s USD', (amount, rate, usd) => {
    expect(formatUnits(currencyToUsdDown(units(amount), parseRate(rate)!))).toBe(usd);
  });
});

describe('currencyToUsdUp', () => {
  test.each([
    ['1', '1', 2, '1'],
    ['0.00000001', '1', 2, '0.01'],
    ['0.00000001', '1', 8, '0.00000001'],
    ['0.00000001', '0.000000000001', 8, '0.00000001'],
    ['3', '0.333333333333', 8, '1'],
    ['3', '0.333333333333', 2, '1'],
    ['0', '64000', 2, '0'],
    ['0.5', '64000.01', 2, '32000.01'],
    ['1.01', '1', 2, '1.01'],
    ['1.01000001', '1', 2, '1.02'],
  ])('for %s at the rate %s with %i decimals, charges %s USD', (amount, rate, decimals, usd) => {
    expect(formatUnits(currencyToUsdUp(units(amount), parseRate(rate)!, decimals))).toBe(usd);
  });

  test('returns the lowest amount in US dollars that covers the amount in the currency', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
    const rate = fc.bigInt({ min: 1n, max: 10n ** 18n });
    fc.assert(
      fc.property(amount, rate, fc.constantFrom(0, 2, 8), (value, price, decimals) => {
        const usd = currencyToUsdUp(value, price, decimals);
        const quantum = 10n ** BigInt(8 - decimals);
        const exact = value * price;
        expect(usd % quantum).toBe(0n);
        expect(usd * 10n ** 12n).toBeGreaterThanOrEqual(exact);
        expect((usd - quantum) * 10n ** 12n).toBeLessThan(exact);
      }),
      { seed: 21 },
    );
  });
});

describe('rounding', () => {
  test.each([
    ['1.23456789', 8, '1.23456789'],
    ['1.23456789', 2, '1.23'],
    ['1.99999999', 0, '1'],
    ['0.00999999', 2, '0'],
  ])('rounds %s at %i decimals to %s', (amount, decimals, rounded) => {
    expect(formatUnits(roundDown(units(amount), decimals))).toBe(rounded);
    expect(formatUnits(roundDown(-units(amount), decimals))).toBe(rounded === '0' ? '0' : `-${rounded}`);
  });

  test('rounds percentages down', () => {
    expect(percentDown(units('97.5'), 30)).toBe(units('29.25'));
    expect([percentDown(99n, 1), percentDown(100n, 1), percentDown(7n, 0), percentDown(7n, 250)]).toEqual([
      0n,
      1n,
      0n,
      17n,
    ]);
  });
  test('rounds once after multiplying and dividing', () => {
    expect(mulDivDown(7n, 3n, 2n)).toBe(10n);
    expect(mulDivDown(MAX_UNITS, MAX_UNITS, MAX_UNITS)).toBe(MAX_UNITS);
  });

  test.each([2, 6, 8])(
    'formats and parses 100,000 amounts with %i decimals without changing them',
    (decimals) => {
      const quantum = 10n ** BigInt(8 - decimals);
      const bytes = createHash('shake256', { outputLength: 800_000 }).update(`amounts ${decimals}`).digest();
      const words = [...new BigUint64Array(Uint8Array.from(bytes).buffer)];
      const wrong = words.filter((word, i) => {
        const exact = (word >> 1n) >> BigInt(i % 60);
        const amount = roundDown(exact, decimals);
        const isDown = amount <= exact && exact - amount < quantum && amount % quantum === 0n;
        return !isDown || parseUnits(formatUnits(amount), decimals) !== amount;
      });
      expect(words).toHaveLength(100_000);
      expect(wrong).toEqual([]);
    },
  );
});
