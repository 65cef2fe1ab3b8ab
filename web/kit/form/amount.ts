import { formatUnits, MAX_UNITS, parseUnits, roundDown, UNIT_DECIMALS } from '../../../src/platform/money.ts';
import { number } from '../intl.ts';
import { kit } from '../words.ts';

/** The most decimals of an amount in a request, of which those after the eighth must be zeros. */
const MOST_DIGITS = 18;
const decimalSign = (): string => number(0.5).charAt(1);

/**
 * An amount as the field shows it, with the decimal separator of the page. A page with a decimal comma exchanges commas and dots, so a text that
 * is no amount changes twice and is shown as typed.
 */
export const typedAs = (amount: string): string =>
  decimalSign() === '.' ? amount : amount.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.'));

/**
 * The decimal string of a typed or pasted amount. Pasted text loses a well-formed grouping: 1,204.50 and 1.204,50 become 1204.50. Any other
 * text is not an amount, and `typedAs` returns it as typed.
 */
export const asAmount = (text: string): string => read(text) ?? typedAs(text);

function read(text: string): string | undefined {
  // The last four bits of Arabic-Indic digits are their value.
  const typed = text.trim().replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15));
  if (typed === '') return '';
  const plain = /^(\d*)(?:([.,])(\d*))?$/.exec(typed);
  if (plain) {
    const [, whole = '', sign, fraction = ''] = plain;
    // 1,204 may be a number of thousands, or come from a page with a decimal comma.
    const isUnclear = sign !== decimalSign() && fraction.length === 3 && Number(whole) > 0;
    return isUnclear || whole + fraction === '' ? undefined : decimal(whole, fraction);
  }
  const grouped = /^([1-9]\d{0,2}([.,'’\s])\d{3}(?:\2\d{3})*)(?:([.,])(\d*))?$/.exec(typed);
  if (!grouped) return undefined;
  const [, whole = '', mark, sign, fraction = ''] = grouped;
  // A dot at the end of 12,345 does not make its comma a mark of thousands on a page with a decimal comma.
  const isUnclear = mark === sign || (mark === decimalSign() && sign !== undefined && fraction === '');
  return isUnclear ? undefined : decimal(whole.replace(/\D/g, ''), fraction);
}

const decimal = (whole: string, fraction: string): string =>
  (whole.replace(/^0+(?=\d)/, '') || '0') + (fraction && `.${fraction}`);

/** Why an amount cannot be sent, or undefined. An empty field has no problem. */
export function problemOf(amount: string, decimals: number = UNIT_DECIMALS): string | undefined {
  if (amount === '' || parseUnits(amount, decimals) !== undefined) return undefined;
  const [isDecimal, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (isDecimal === undefined) return kit.wrong.amount;
  if (fraction.length > MOST_DIGITS || fraction.replace(/0+$/, '').length > decimals)
    return kit.wrong.decimals(decimals);
  return BigInt(whole) >= MAX_UNITS / 10n ** BigInt(UNIT_DECIMALS)
    ? kit.wrong.high(number(formatUnits(MAX_UNITS), UNIT_DECIMALS))
    : kit.wrong.amount;
}

/** Reads a typed number as amounts are read. Undefined for an empty text, or with the reason why the text is unclear. */
export function asNumber(text: string, decimals: number): { number?: number; problem?: string } {
  const read = asAmount(text);
  if (read === '') return {};
  const problem = /^\d+(\.\d+)?$/.test(read) ? problemOf(read, decimals) : kit.wrong.number;
  return problem === undefined ? { number: Number(read) } : { problem };
}

/** Changes an amount. Half is rounded down. Returns undefined if the text is not an amount, or if the result is too small or too large. */
export function changed(
  text: string,
  by: 'half' | 'double',
  decimals: number = UNIT_DECIMALS,
): string | undefined {
  const amount = parseUnits(text, decimals);
  if (amount === undefined) return undefined;
  const next = by === 'half' ? roundDown(amount / 2n, decimals) : amount * 2n;
  return next > MAX_UNITS || (next === 0n && amount > 0n) ? undefined : formatUnits(next);
}
