/** The country of an unreadable address. ISO 3166 reserves this code for private use, so no country list contains it. */
export const UNREADABLE_COUNTRY = 'ZZ';

/**
 * All countries linked to one player, sorted and joined by a space: `DE GB`. Null if no country is known. Every country rule receives a set
 * and applies if it covers any country in the set, so the strictest rule decides. It is a string because bets and caches use it as a key.
 */
export type CountrySet = string | null;

/** Joins country codes and sets into one set. Null means an unknown country. */
export function countrySetOf(sets: readonly CountrySet[]): CountrySet {
  const codes = new Set(sets.flatMap(codesIn));
  return codes.size === 0 ? null : [...codes].sort().join(' ');
}

export const codesIn = (set: CountrySet): string[] => (set === null ? [] : set.split(' '));

/** Returns true if a rule lists any country of the set. An unreadable address matches every rule that lists a country. */
export const isCountryIn = (set: CountrySet, named: ReadonlySet<string> | readonly string[]): boolean =>
  set !== null && codesIn(set).some((code) => isNamed(code, named));

function isNamed(code: string, named: ReadonlySet<string> | readonly string[]): boolean {
  if (named instanceof Set) return named.has(code) || (code === UNREADABLE_COUNTRY && named.size > 0);
  const codes = named as readonly string[];
  return codes.includes(code) || (code === UNREADABLE_COUNTRY && codes.length > 0);
}

/**
 * Returns the values of a country rule that apply to a set of countries. For an unreadable address these are the values of all countries.
 */
export const valuesIn = <T>(byCountry: Readonly<Record<string, T>>, set: CountrySet): T[] =>
  codesIn(set).flatMap((code) => {
    if (code === UNREADABLE_COUNTRY) return Object.values(byCountry);
    return Object.hasOwn(byCountry, code) ? [byCountry[code]!] : [];
  });
