import { expect, test } from 'vitest';
import { codesIn, countrySetOf, isCountryIn, valuesIn } from './rules.ts';

test.each([
  [[], null],
  [[null, null], null],
  [['DE', null], 'DE'],
  [['GB', 'DE', 'GB'], 'DE GB'],
  [['DE GB', 'AT', 'GB'], 'AT DE GB'],
])('joins the country sets %j into one set', (sets, expected) => {
  expect(countrySetOf(sets)).toBe(expected);
});

test('splits a country set into its codes', () => {
  expect([codesIn(null), codesIn('DE'), codesIn('DE GB')]).toEqual([[], ['DE'], ['DE', 'GB']]);
});

test.each([
  [null, ['DE'], false],
  ['DE', ['DE'], true],
  ['AT DE', ['DE'], true],
  ['AT FR', ['DE'], false],
  ['ZZ', ['DE'], true],
  ['AT ZZ', ['DE'], true],
  ['ZZ', [], false],
])('checks for the countries %s whether a rule that lists %j applies: %s', (set, named, applies) => {
  expect([isCountryIn(set, named), isCountryIn(set, new Set(named))]).toEqual([applies, applies]);
});

test.each([
  [null, []],
  ['DE', []],
  ['GB', [2]],
  ['FR GB', [1, 2]],
  ['ZZ', [1, 2]],
  ['toString', []],
])('finds the values for the countries %s', (set, expected) => {
  expect(valuesIn({ FR: 1, GB: 2 }, set)).toEqual(expected);
});
