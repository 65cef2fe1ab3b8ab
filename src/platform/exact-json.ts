/** A JSON number in its original notation. */
export type Numeral = { rawJSON: string };
/** TypeScript's library types do not declare these functions yet. */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source: string }) => unknown,
  ): unknown;
  rawJSON(text: string): Numeral;
  isRawJSON(value: unknown): value is Numeral;
};
export const isNumeral = (value: unknown): value is Numeral => json.isRawJSON(value);
/** Returns a number that JSON.stringify writes in exactly the given notation. */
export const numeral = (text: string): Numeral => json.rawJSON(text);

const NUMBER = /^(-?\d{1,200})(?:\.(\d{1,200}))?(?:[eE]([+-]?\d{1,3}))?$/;
const MOST_DIGITS = 40;

/**
 * Converts an id that was sent as a number to text. All notations of the same whole number give the same text: `5e9` becomes `5000000000`.
 */
export function idOf({ rawJSON }: Numeral): string {
  const [, whole, fraction = '', exponent = 0] = NUMBER.exec(rawJSON) ?? [];
  const shift = Number(exponent) - fraction.length;
  if (whole === undefined || shift > MOST_DIGITS) return rawJSON;
  const digits = BigInt(whole + fraction);
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift >= 0) return String(digits * power);
  return digits % power === 0n ? String(digits / power) : rawJSON;
}

/** Parses JSON and returns numbers as numerals, which keep their text, so that no amount becomes a float. Throws SyntaxError. */
export const parseExact = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) => (typeof value === 'number' ? numeral(source) : value));
