import { MAX_UNITS, type Units } from '../../../../platform/money.ts';

const DECIMALS = 8;
const NUMBER = /^(\d{1,40})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads an amount exactly, also with an exponent as JSON allows. Digits beyond our eight decimals are cut off. Undefined: no amount, a
 * negative one, or more than MAX_UNITS.
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
/** Not in the library's types yet. */
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
 * A document with its keys sorted at every level, which some partners sign instead of the bytes. `listAs` object: lists are written as
 * objects, as the partner's example code does.
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
