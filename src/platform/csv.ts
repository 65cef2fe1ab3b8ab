/** The byte-order mark that lets spreadsheets recognise UTF-8. */
export const BOM = '\uFEFF';

const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Spreadsheets execute cells that begin with one of these characters, including full-width forms and leading blanks or control characters.
 * Such a cell is therefore marked as text unless it is a number.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠−]|^[\t\r\n]/u;

/** Matches text that a spreadsheet would turn into a different number: too many digits, leading zeros, exponents. */
const CHANGED = /^(\d{16,}|0\d+|\d+[eE]\d+)$/;

/** Returns a value as a cell of a CSV file (RFC 4180). Spreadsheets show it unchanged. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isText =
    (FORMULA.test(text) && !NUMBER.test(text)) || (typeof value === 'string' && CHANGED.test(text));
  const safe = isText ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
