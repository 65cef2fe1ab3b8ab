import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencyToUsdDown, MAX_UNITS, ONE } from '../../../platform/money.ts';
import { boundsOf, keyOf, kindsOf, referenceOf, TYPES, typeOf } from './rules.ts';

test('maps every statement type to at least one posting kind, and unknown kinds to CORRECTION', () => {
  for (const type of TYPES) {
    expect(kindsOf(type).length, type).toBeGreaterThan(0);
    for (const kind of kindsOf(type)) expect(typeOf(kind)).toBe(type);
  }
  for (const kind of ['gift', '', 'constructor', '__proto__']) expect(typeOf(kind)).toBe('CORRECTION');
});

test('selects exactly the amounts whose USD value is within the bounds', () => {
  const amount = fc.bigInt(0n, MAX_UNITS);
  const around = fc.oneof(amount, fc.bigInt(0n, 1000n));
  const rate = fc.oneof(fc.bigInt(0n, 10n ** 17n), fc.constantFrom(0n, 1n, 10n ** 12n));
  fc.assert(
    fc.property(around, around, around, rate, (a, min, max, r) => {
      const bounds = boundsOf(r, { min, max });
      const worth = currencyToUsdDown(a, r);
      expect(bounds !== undefined && a >= bounds.min && a <= bounds.max).toBe(worth >= min && worth <= max);
      expect(boundsOf(r, {})).toEqual({ min: 0n, max: MAX_UNITS });
    }),
    { seed: 30, numRuns: 2000 },
  );
  expect(boundsOf(10n ** 12n, { min: ONE, max: ONE })).toEqual({ min: ONE, max: ONE });
  expect(boundsOf(1n, { max: MAX_UNITS })).toEqual({ min: 0n, max: MAX_UNITS });
  // The USD values of two adjacent amounts can be below and above the range, so that no amount is within it.
  expect(boundsOf(3n * 10n ** 12n, { min: 4n, max: 5n })).toBeUndefined();
  expect(boundsOf(3n * 10n ** 12n, { min: 6n, max: 5n })).toBeUndefined();
});

test.each([
  [null, 'bet', '77'],
  ['vault:abc', 'vault', 'abc'],
  ['withdrawal:w1:hold:2', 'withdrawal', 'w1'],
  ['deposit:BTC:f00d:3', 'deposit', 'BTC:f00d:3'],
  ['deposit:BTC:f00d:3:reversal', 'deposit', 'BTC:f00d:3'],
  ['skins:s1:claims', 'skins', 's1'],
  ['alone', null, null],
])(
  'parses the key %s as %s %s, and builds a prefix of the key from them',
  (key, referenceType, referenceId) => {
    expect(referenceOf({ key, entryId: 77n })).toEqual({ referenceType, referenceId });
    if (key === null || referenceType === null) return;
    const begin = keyOf(referenceType, referenceId)!;
    expect(key === begin || key.startsWith(`${begin}:`)).toBe(true);
  },
);

test('returns no key for an id with too many or too few parts', () => {
  expect(keyOf('deposit', 'BTC')).toBeUndefined();
  expect(keyOf('withdrawal', 'w1:hold')).toBeUndefined();
  expect(keyOf('withdrawal:w1', 'hold')).toBeUndefined();
});
