const PLACES = 8;

/** Converts a decimal string to an integer number of units of 10^-places. Throws if the string has more decimal places. */
export function toUnits(text: string, places = PLACES): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new Error(`${text} is not an amount`);
  const [, sign, whole, digits = ''] = match;
  const fraction = digits.replace(/0+$/, '');
  if (fraction.length > places) throw new Error(`${text} has more than ${places} decimals`);
  return BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`);
}

/** Returns the shortest decimal string for a number of units. */
export function fromUnits(units: bigint, places = PLACES): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return `${units < 0n ? '-' : ''}${places === 0 ? text : text.replace(/\.?0+$/, '')}`;
}

/** Returns a decimal string with exactly this number of decimal places. */
export function fixed(text: string, places: number): string {
  const units = fromUnits(toUnits(text, places), places);
  const [whole, fraction = ''] = units.split('.');
  return `${whole}.${fraction.padEnd(places, '0')}`;
}

/** Returns the fields of a JSON object. Each number is returned as its original text. */
export function fieldsOf(body: string): Record<string, unknown> {
  const revive = ((_: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' ? (context.source ?? String(value)) : value) as (
    key: string,
    value: unknown,
  ) => unknown;
  try {
    const value: unknown = JSON.parse(body, revive);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
