import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_UNITS, units } from '../../../../../platform/money.ts';
import {
  decimalText,
  hub88BalanceOf,
  integerOf,
  providerUnitsOf,
  readDecimal,
  shownUnitsOf,
  unitsOf,
  unitsOfText,
} from './rules.ts';

const FACTORS = ['1', '0.001', '0.00000001', '1000', '2.5'] as const;
const scale = fc.record({ factor: fc.constantFrom(...FACTORS), decimals: fc.integer({ min: 0, max: 18 }) });
const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });

describe('conversion of provider amounts', () => {
  test.each([
    [1_000_000n, '1', 5, '10'],
    [1n, '1', 5, '0.00001'],
    [250n, '1', 2, '2.5'],
    [1n, '0.001', 2, '0.00001'],
    [7n, '1', 0, '7'],
    [3n, '1000', 0, '3000'],
    [-400n, '1', 2, '-4'],
  ])('converts %s with factor %s and %s decimal places to %s', (given, factor, decimals, ours) => {
    const expected = ours.startsWith('-') ? -units(ours.slice(1)) : units(ours);
    expect(unitsOf(given, { factor, decimals })).toBe(expected);
  });

  test('rejects provider amounts with more than eight decimals, and amounts that are too large', () => {
    expect(unitsOf(1n, { factor: '1', decimals: 9 })).toBeUndefined();
    expect(unitsOf(1n, { factor: '0.001', decimals: 6 })).toBeUndefined();
    expect(unitsOf(10n, { factor: '1', decimals: 9 })).toBe(1n);
    expect(unitsOf(MAX_UNITS, { factor: '1', decimals: 8 })).toBe(MAX_UNITS);
    expect(unitsOf(MAX_UNITS + 1n, { factor: '1', decimals: 8 })).toBeUndefined();
    expect(unitsOf(-MAX_UNITS - 1n, { factor: '1', decimals: 8 })).toBeUndefined();
  });

  test('returns the same amount after a conversion to provider units and back', () => {
    fc.assert(
      fc.property(amount, scale, (given, by) => {
        const ours = unitsOf(given, by);
        if (ours !== undefined) expect(providerUnitsOf(ours, by)).toBe(given);
      }),
    );
  });

  test('rounds a balance down by less than one smallest unit', () => {
    fc.assert(
      fc.property(amount, scale, (balance, by) => {
        const shown = providerUnitsOf(balance, by);
        const factor = units(by.factor);
        const one = 10n ** BigInt(by.decimals);
        expect(shown * factor).toBeLessThanOrEqual(balance * one);
        expect((shown + 1n) * factor).toBeGreaterThan(balance * one);
      }),
    );
  });

  test.each([
    ['0.00001999', 5, 1n],
    ['0.00000999', 5, 0n],
    ['115', 5, 11_500_000n],
    ['107.00001', 5, 10_700_001n],
    ['1.239', 2, 123_000n],
    ['1.239', 0, 100_000n],
  ])('shows %s as a Hub88 amount with %s decimal places as %s', (balance, decimals, shown) => {
    expect(hub88BalanceOf(units(balance), { factor: '1', decimals })).toBe(shown);
  });

  test('shows generic balances with at most the decimal places of the currency', () => {
    expect(shownUnitsOf(units('1.23456789'), { factor: '1', decimals: 8 })).toBe(units('1.23456789'));
    expect(shownUnitsOf(units('1.23456789'), { factor: '1', decimals: 2 })).toBe(units('1.23'));
    expect(shownUnitsOf(units('0.00123'), { factor: '0.001', decimals: 2 })).toBe(units('1.23'));
  });
});

describe('decimal strings', () => {
  test.each([
    ['2.00', 2, 200n],
    ['0', 2, 0n],
    ['0.10', 2, 10n],
    ['10.5000', 2, 1050n],
    ['-4', 2, -400n],
    ['-0.01', 2, -1n],
    ['10.00', 0, 10n],
    ['12', 0, 12n],
  ])('reads %s with %s decimal places as %s', (text, decimals, amount) => {
    expect(readDecimal(text, decimals)).toBe(amount);
  });

  test.each(['', '.5', '1.', '01', '+1', '1e2', ' 1', '1 ', '1,5', '--1', '0x10', 'NaN', '1.005'])(
    'rejects "%s" with two decimal places',
    (text) => {
      expect(readDecimal(text, 2)).toBeUndefined();
      expect(unitsOfText(text, { factor: '1', decimals: 2 })).toBeUndefined();
    },
  );

  test('writes all decimal places, and reads the same value back', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 8 }), (given, decimals) => {
        const text = decimalText(given, decimals);
        expect(readDecimal(text, decimals)).toBe(given);
        expect(text.split('.')[1]?.length ?? 0).toBe(decimals);
      }),
    );
    expect(decimalText(5n, 2)).toBe('0.05');
    expect(decimalText(11_500n, 2)).toBe('115.00');
    expect(decimalText(7n, 0)).toBe('7');
  });

  test('rejects nine decimals for a currency with eight', () => {
    expect(unitsOfText('0.123456789', { factor: '1', decimals: 8 })).toBeUndefined();
    expect(unitsOfText('0.12345678', { factor: '1', decimals: 8 })).toBe(12_345_678n);
  });
});

test('reads JSON integers exactly in any notation, and rejects fractions', () => {
  expect(integerOf(100)).toBe(100n);
  expect(integerOf(-1)).toBe(-1n);
  for (const value of [1.5, Number.NaN, 2 ** 53, Infinity]) expect(integerOf(value)).toBeUndefined();
  expect(integerOf({ rawJSON: '9007199254740993' })).toBe(9007199254740993n);
  expect(integerOf({ rawJSON: '-12' })).toBe(-12n);
  expect(integerOf({ rawJSON: '1.0' })).toBe(1n);
  expect(integerOf({ rawJSON: '1e2' })).toBe(100n);
  expect(integerOf({ rawJSON: `1${'0'.repeat(31)}` })).toBe(10n ** 31n);
  for (const rawJSON of ['100.00000000000000001', '1e-2', '-', 'x1', '1x'])
    expect(integerOf({ rawJSON })).toBeUndefined();
});
