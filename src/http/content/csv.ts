import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import { staffRight } from '../access.ts';
import type { Route } from '../route.ts';

export type Row = Record<string, unknown>;
export type ListPlace = 'query' | 'body';

/** The byte-order mark that lets spreadsheets recognise UTF-8. */
export const BOM = '\uFEFF';

/** Returns true if a staff list is requested as a CSV file, which means that the `Accept` header begins with the media type of CSV. */
export const wantsCsv = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.startsWith('text/csv') === true;

/** The rows whose column contains one of these values. */
export type ChosenRows = { column: string; ids: ReadonlySet<string> };

export type FileOptions = {
  /** True if the file begins with a byte-order mark. */
  hasBom: boolean;
  /** The columns of the file, in order. */
  columns: readonly string[];
  /** The only rows of the file. Undefined for all rows that match the filter. */
  chosen: ChosenRows | undefined;
};

/** The query parameters of an export, on every list. */
export const FILE_PARAMETERS: readonly string[] = ['bom', 'columns', 'ids', 'idColumn'];

/** Removes the parameters of an export from the query and returns their values. Throws 400 VALIDATION_FAILED. */
export function takeFileOptions(request: FastifyRequest, route: Route): FileOptions {
  const { bom = 'true', columns, ids, idColumn = 'id', ...query } = request.query as Record<string, unknown>;
  if (bom !== 'true' && bom !== 'false') throw invalidField('bom', 'needs true or false');
  request.query = query;
  const all = columnsOf(rowOf(route)!);
  return {
    hasBom: bom === 'true',
    columns: chosenColumns(all, columns),
    chosen: ids === undefined ? undefined : chosenRows(all, ids, idColumn),
  };
}

/** An export of chosen rows has at most this many, because their ids are a part of its address. */
const MOST_IDS = 100;

function chosenRows(all: readonly string[], given: unknown, column: unknown): ChosenRows {
  const ids = new Set(String(given).split(','));
  if (typeof column !== 'string' || !all.includes(column))
    throw invalidField('idColumn', `needs one of ${all.join(', ')}`);
  if (ids.has('') || ids.size > MOST_IDS) throw invalidField('ids', `needs 1 to ${MOST_IDS} values`);
  return { column, ids };
}

/** Returns the chosen columns, or all if none are chosen. `chosen` is a list separated by commas, or a repeated parameter. */
function chosenColumns(all: readonly string[], chosen: unknown): readonly string[] {
  if (chosen === undefined) return all;
  const names = String(chosen).split(',');
  const isValid = names.every((name, i) => all.includes(name) && names.indexOf(name) === i);
  if (!isValid) throw invalidField('columns', `needs different names of ${all.join(', ')}`);
  return names;
}

/** Returns which part of the request contains the page and the filters of a staff list. Returns undefined for other routes. */
export function listPlace(route: Route): ListPlace | undefined {
  if (staffRight(route.access) === undefined || !rowOf(route)) return undefined;
  const has = (schema: z.ZodType | undefined) =>
    schema instanceof z.ZodObject && 'page' in schema.shape && 'take' in schema.shape;
  if (has(route.query)) return 'query';
  return has(route.body) ? 'body' : undefined;
}

/** Returns the schema of a row if the response is a list envelope. */
function rowOf({ response }: Route): z.ZodObject | undefined {
  if (!(response instanceof z.ZodObject) || !('totalPages' in response.shape)) return undefined;
  const data = response.shape.data;
  const row = data instanceof z.ZodArray ? data.element : undefined;
  return row instanceof z.ZodObject ? row : undefined;
}

/** Fields with addresses of pictures, which are of no use in a file. */
const PICTURES: ReadonlySet<string> = new Set(['avatar', 'images', 'customImages', 'imageUrl']);

/**
 * Returns the field names of a row, without pictures. The name of a nested field is prefixed with the name of its object, such as
 * `user.username`.
 */
function columnsOf(row: z.ZodObject, before = ''): string[] {
  return Object.entries(row.shape).flatMap(([name, field]) => {
    if (PICTURES.has(name)) return [];
    const inner = unwrapped(field as z.ZodType);
    return inner instanceof z.ZodObject ? columnsOf(inner, `${before}${name}.`) : [before + name];
  });
}

export const lineOf = (columns: readonly string[], row: Row): string =>
  `${columns.map((column) => cell(valueAt(row, column))).join(',')}\r\n`;

function unwrapped(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodNullable || field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? unwrapped(field.unwrap() as z.ZodType)
    : field;
}

export const valueAt = (row: Row, column: string): unknown =>
  column.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row);

const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Spreadsheets execute cells that begin with one of these characters, including full-width forms and leading blanks or control characters.
 * Such a cell is therefore marked as text unless it is a number.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠−]|^[\t\r\n]/u;

/** Matches text that a spreadsheet would turn into a different number: too many digits, leading zeros, exponents. */
const CHANGED = /^(\d{16,}|0\d+|\d+[eE]\d+)$/;

export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = textOf(value);
  const isText =
    (FORMULA.test(text) && !NUMBER.test(text)) || (typeof value !== 'number' && CHANGED.test(text));
  const safe = isText ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Writes a value in one cell: lists like `a; b`, and objects like `currencyId: USDT; amount: 5`. An object within another value stands in
 * parentheses. A person is their username.
 */
const textOf = (value: unknown): string =>
  typeof value === 'object' ? partsOf(value).join('; ') : String(value);

function partsOf(value: object | null): string[] {
  if (Array.isArray(value)) return value.map(innerText);
  if (value === null) return [];
  if ('username' in value) return [String(value.username)];
  return Object.entries(value)
    .filter(([name, inner]) => inner !== null && inner !== undefined && !PICTURES.has(name))
    .map(([name, inner]) => `${name}: ${innerText(inner)}`);
}

function innerText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = partsOf(value);
  return parts.length === 1 && 'username' in value ? parts[0]! : `(${parts.join(', ')})`;
}
