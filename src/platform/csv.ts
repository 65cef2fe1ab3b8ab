/** The byte-order mark that lets spreadsheets recognise UTF-8. */
export const BOM = '\uFEFF';

/** Fields with addresses of pictures, which are of no use in a file. */
export const PICTURES: ReadonlySet<string> = new Set(['avatar', 'images', 'customImages', 'imageUrl']);

const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Spreadsheets execute cells that begin with one of these characters, including full-width forms and leading blanks or control characters.
 * Such a cell is therefore marked as text unless it is a number.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠−]|^[\t\r\n]/u;

/** Matches text that a spreadsheet would turn into a different number: too many digits, leading zeros, exponents. */
const CHANGED = /^(\d{16,}|0\d+|\d+[eE]\d+)$/;

/**
 * Returns a value as a cell of a CSV file (RFC 4180). Text that a spreadsheet would execute, or read as a different number, begins with an
 * apostrophe.
 */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = textOf(value);
  const isChanged = typeof value !== 'number' && CHANGED.test(text);
  const safe = isChanged ? `'${text}` : partsAt(text).map(marked).join('');
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * In many countries, spreadsheets split a line at semicolons instead of commas. Quotes do not prevent this, because they only work at the
 * start of a cell, and the comma did not start a new one. Each part between semicolons that looks like a formula therefore gets an
 * apostrophe, just like a whole cell.
 */
const partsAt = (text: string): string[] => text.split(/(?<=;)/);

const marked = (part: string): string =>
  FORMULA.test(part) && !NUMBER.test(part.replace(/;$/, '').trimStart()) ? `'${part}` : part;

/**
 * Writes a value in one cell: lists like `a; b`, and objects like `currencyId: USDT; amount: 5`. An object within another value stands in
 * parentheses. A person is their username.
 */
const textOf = (value: unknown): string =>
  typeof value === 'object' ? partsOf(value).join('; ') : String(value);

function partsOf(value: object | null): string[] {
  if (Array.isArray(value)) return value.map(innerText);
  if (value === null) return [];
  if (isPerson(value)) return [value.username];
  return Object.entries(value)
    .filter(([name, inner]) => inner !== null && inner !== undefined && !PICTURES.has(name))
    .map(([name, inner]) => `${name}: ${innerText(inner)}`);
}

function innerText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = partsOf(value);
  return isPerson(value) ? parts[0]! : `(${parts.join(', ')})`;
}

const isPerson = (value: object): value is { username: string } =>
  'username' in value && typeof value.username === 'string';
