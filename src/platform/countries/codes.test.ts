import { expect, test } from 'vitest';
import { toAlpha2 } from './codes.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const pairs = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));

/** Regions that `Intl` names although ISO 3166-1 has not assigned their codes. Kosovo is not in this list. */
const NOT_ASSIGNED = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));

test('contains every country that Intl lists, each with one alpha-3 code', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  // Intl renames withdrawn codes, such as DD to DE.
  const isCurrent = (code: string) => new Intl.Locale(`und-${code}`).region === code;
  const named = pairs.filter((code) => names.of(code) && isCurrent(code) && !NOT_ASSIGNED.has(code));
  expect(named.length).toBe(250);
  expect(pairs.filter((code) => toAlpha2(code) === code)).toEqual(named);
  const counts = new Map<string, number>();
  for (const pair of pairs)
    for (const letter of LETTERS) {
      const country = toAlpha2(pair + letter);
      if (country) counts.set(country, (counts.get(country) ?? 0) + 1);
    }
  // Kosovo has two alpha-3 codes.
  expect(Object.fromEntries(counts)).toEqual(
    Object.fromEntries(named.map((code) => [code, code === 'XK' ? 2 : 1])),
  );
});

test.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  ['DEU', 'DE'],
  [' nld ', 'NL'],
  ['Che', 'CH'],
  ['SRB', 'RS'],
  ['AUS', 'AU'],
  ['AUT', 'AT'],
  ['XKX', 'XK'],
  ['RKS', 'XK'],
])('reads the country %j as %s', (code, country) => expect(toAlpha2(code)).toBe(country));

test.each(['', 'D', 'ZZ', 'XX', 'EU', 'XXX', 'DEUT', 'Germany', '276', 'constructor', 'D E', 'AD:AND'])(
  'returns null for the unknown country %j',
  (code) => expect(toAlpha2(code)).toBeNull(),
);
