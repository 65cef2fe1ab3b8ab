import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { cell, PICTURES } from '../../platform/csv.ts';
import { invalidField } from '../../platform/errors.ts';
import { staffRight } from '../access.ts';
import type { Route } from '../route.ts';

export type Row = Record<string, unknown>;
export type ListPlace = 'query' | 'body';

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

/** Rows are chosen by at most this many values, because the values are a part of the address. */
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
