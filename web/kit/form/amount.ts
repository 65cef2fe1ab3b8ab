import { formatUnits, units } from '../../../src/platform/money.ts';
import { number } from '../intl.ts';

/** The pattern of an amount with up to 18 decimals. */
const FORMAT = '(0|[1-9][0-9]{0,11})(\\.[0-9]{1,18})?';
/** The same pattern as the player types it, with the decimal sign of the page. */
export const TYPED = FORMAT.replace('\\.', '[.,]');
/** A decimal string with the decimal sign of the page. `asAmount` gives the string back. */
export const typedAs = (amount: string): string => amount.replace('.', number(0.5).charAt(1));
const isAmount = (text: string) => new RegExp(`^${FORMAT}$`).test(text);

/**
 * Keeps digits and one dot. Pasted text loses its grouping: 1,204.50 and 1.204,50 become 1204.50. A single comma is a decimal sign, unless
 * it groups thousands in the language of the page.
 */
export function asAmount(text: string): string {
  const marks = [...text].filter((char) => char === '.' || char === ',');
  const last = marks.at(-1);
  const isGrouping =
    last !== undefined &&
    new Set(marks).size === 1 &&
    (marks.length > 1 || (/,\d{3}$/.test(text) && number(0.5).includes('.')));
  const at = last === undefined || isGrouping ? -1 : text.lastIndexOf(last);
  const digits = (part: string) => part.replace(/\D/g, '');
  const whole = digits(at < 0 ? text : text.slice(0, at)).replace(/^0+(?=\d)/, '');
  return at < 0 ? whole : `${whole || '0'}.${digits(text.slice(at))}`;
}

/** Changes an amount exactly. Returns undefined if the text is not an amount. */
export function changed(text: string, by: 'half' | 'double'): string | undefined {
  if (!isAmount(text)) return undefined;
  const amount = units(text);
  return formatUnits(by === 'half' ? amount / 2n : amount * 2n);
}
