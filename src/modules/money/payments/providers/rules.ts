import { MAX_UNITS, type Units } from '../../../../platform/money.ts';

const DECIMALS = 8;
const NUMBER = /^(\d{1,40})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads the amount of a partner exactly, be it with an exponent as JSON may have it. What a chain counts finer than we do is cut
 * off. Undefined: no amount, a negative one, or more than MAX_UNITS.
 */
export function readUnits(text: string): Units | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const [, whole, fraction = '', exponent = 0] = match;
  const shift = Number(exponent) - fraction.length + DECIMALS;
  const digits = BigInt(whole! + fraction);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return amount > MAX_UNITS ? undefined : amount;
}

/** A number of JSON as it was written. */
export type Numeral = { rawJSON: string };
/** The library's types do not know yet what the language can. */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source: string }) => unknown,
  ): unknown;
  rawJSON(text: string): Numeral;
  isRawJSON(value: unknown): value is Numeral;
};
export const isNumeral = (value: unknown): value is Numeral => json.isRawJSON(value);
/** A number that JSON.stringify writes as it is here. */
export const numeral = (text: string): Numeral => json.rawJSON(text);

/** JSON whose numbers are numerals: no amount passes through a float. Throws SyntaxError. */
export const parseExact = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) => (typeof value === 'number' ? numeral(source) : value));

/**
 * The text that a document has with its keys sorted at every level: what some partners sign in place of their bytes. `listAs`
 * object: lists as their example code writes them, which sorts whatever is an object.
 */
export function sortedJson(text: string, listAs: 'list' | 'object'): string {
  const write = (value: unknown): string => {
    if (typeof value !== 'object' || value === null || isNumeral(value)) return JSON.stringify(value);
    if (Array.isArray(value) && listAs === 'list') return `[${value.map(write).join(',')}]`;
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`).join(',')}}`;
  };
  return write(parseExact(text));
}
