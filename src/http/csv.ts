import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { staffRight } from './access.ts';
import type { Route } from './route.ts';
import type { Page } from './schemas.ts';

/** Rows of a page of an export, and the most that one export has. */
const TAKE = 100;
const MOST_ROWS = 100_000;

type Row = Record<string, unknown>;
type Asked = Parameters<Route['handler']>[0];
type Place = 'query' | 'body';

/** Whether a list of staff is asked for as a file: what `Accept` begins with. */
export const wantsCsv = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.startsWith('text/csv') === true;

/** Where a list of staff takes its page and filters; undefined: the route is no such list. */
export function listPlace(route: Route): Place | undefined {
  if (staffRight(route.access) === undefined || !rowOf(route)) return undefined;
  const has = (schema: z.ZodType | undefined) =>
    schema instanceof z.ZodObject && 'page' in schema.shape && 'take' in schema.shape;
  if (has(route.query)) return 'query';
  return has(route.body) ? 'body' : undefined;
}

/** The schema of a row, where the answer is the envelope of a list. */
function rowOf({ response }: Route): z.ZodObject | undefined {
  if (!(response instanceof z.ZodObject) || !('totalPages' in response.shape)) return undefined;
  const data = response.shape.data;
  const row = data instanceof z.ZodArray ? data.element : undefined;
  return row instanceof z.ZodObject ? row : undefined;
}

/**
 * All pages of a list as CSV (RFC 4180, UTF-8), read and sent one after the other: never more than one page is in memory. The first page is
 * read before anything is sent, so that a refusal is an ordinary one.
 */
export async function csvOf(route: Route, context: Asked, place: Place): Promise<Readable> {
  const columns = columnsOf(rowOf(route)!);
  const schema = route.response as z.ZodType<Page<Row>>;
  const read = async (page: number) =>
    schema.parse(
      await route.handler({ ...context, [place]: { ...(context[place] as object), page, take: TAKE } }),
    );
  const first = await read(1);
  return Readable.from(linesOf(columns, first, read));
}

async function* linesOf(
  columns: readonly string[],
  first: Page<Row>,
  read: (page: number) => Promise<Page<Row>>,
) {
  yield `${columns.map(cell).join(',')}\r\n`;
  let page = first;
  for (let at = 1; ; ) {
    yield page.data
      .map((row) => `${columns.map((column) => cell(valueAt(row, column))).join(',')}\r\n`)
      .join('');
    if (at >= page.totalPages || at * TAKE >= MOST_ROWS) return;
    page = await read(++at);
  }
}

/** The fields of a row by their names; those of an object in it by both names, `user.username`. */
function columnsOf(row: z.ZodObject, before = ''): string[] {
  return Object.entries(row.shape).flatMap(([name, field]) => {
    const inner = unwrapped(field as z.ZodType);
    return inner instanceof z.ZodObject ? columnsOf(inner, `${before}${name}.`) : [before + name];
  });
}

function unwrapped(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodNullable || field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? unwrapped(field.unwrap() as z.ZodType)
    : field;
}

const valueAt = (row: Row, column: string): unknown =>
  column.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row);

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Spreadsheets run what begins with one of these: a text that is no number is marked as text. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
