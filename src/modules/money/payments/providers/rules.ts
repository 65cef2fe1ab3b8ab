import { isNumeral, parseExact } from '../../../../platform/exact-json.ts';
import { MAX_UNITS, type Units } from '../../../../platform/money.ts';

const DECIMALS = 8;
/** Matches any non-negative JSON number. */
const NUMBER = /^(\d{1,5000})(?:\.(\d{1,5000}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads an amount exactly, including the exponents that JSON allows. Removes digits beyond eight decimals. Returns undefined if the text is
 * not an amount, is negative, or exceeds MAX_UNITS.
 */
export const readUnits = (text: string): Units | undefined => readCut(text)?.amount;

/** Reads an amount like `readUnits`, and also returns whether digits were removed. */
export function readCut(text: string): { amount: Units; isCut: boolean } | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const [, whole, fraction = '', exponent = 0] = match;
  const shift = Number(exponent) - fraction.length + DECIMALS;
  const digits = BigInt(whole! + fraction);
  const divisor = 10n ** BigInt(shift < 0 ? -shift : 0);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / divisor;
  return amount > MAX_UNITS ? undefined : { amount, isCut: digits % divisor !== 0n };
}

/** Reads the time of a report: ISO 8601, Unix seconds or Unix milliseconds. Returns the current time if it is missing or unreadable. */
export function readTime(text: string | null | undefined): Date {
  const given = text?.trim() ?? '';
  const scale = /^\d{9,11}$/.test(given) ? 1000 : 1;
  const at = new Date(/^\d{9,14}$/.test(given) ? Number(given) * scale : given);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}

/**
 * Returns a document with its keys sorted at every level, which some partners sign instead of the received bytes. If `listAs` is `object`,
 * lists are written as objects, as in the partner's example code.
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
