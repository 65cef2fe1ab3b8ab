import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Config } from '../../platform/config/config.ts';
import { BOM } from '../../platform/csv.ts';
import { createSnapshot, type Snapshot } from '../../platform/database/snapshot.ts';
import { commonErrors, listErrors } from '../../platform/errors.ts';
import type { Route } from '../route.ts';
import type { EstimatedPage, Page } from '../schemas.ts';
import { type ChosenRows, type FileOptions, type ListPlace, lineOf, type Row, valueAt } from './csv.ts';

type Asked = Parameters<Route['handler']>[0];
type Rows = Page<Row> & Partial<Pick<EstimatedPage<Row>, 'totalIsExact'>>;
type Bounds = Pick<Config, 'EXPORTS_AT_ONCE' | 'EXPORT_ROWS_AT_ONCE' | 'EXPORT_SECONDS'>;

export type Outcome = { rows: number; isWhole: boolean; columns: readonly string[] };
export type Export = {
  body: Readable;
  /** The number of rows in the file, if known before the first one is sent. */
  total: number | undefined;
  /** Returns the number of rows sent so far. */
  sent(): number;
  /** Must be called when the response has ended or the client has disconnected. It cancels a query that is still running. */
  stop(): void;
};
type Options = FileOptions & {
  place: ListPlace;
  /** Called once, either before the last byte of a complete file or when the export is aborted. */
  onEnd(outcome: Outcome): Promise<void>;
};

export type Exports = ReturnType<typeof createExports>;

/** Exports whole lists as files, at most EXPORTS_AT_ONCE at the same time. */
export function createExports(bounds: Bounds) {
  let running = 0;
  return {
    /**
     * Exports all rows of a list at one point in time as CSV (RFC 4180, UTF-8), with only a few rows in memory. The first rows are read
     * before anything is sent, so that an error is an ordinary response. If the file cannot be completed, the connection is aborted. With
     * rows chosen by id, the list is read only until all of them are found. Throws 429 TOO_MANY_AT_ONCE.
     */
    async start(route: Route, context: Asked, options: Options): Promise<Export> {
      if (running >= bounds.EXPORTS_AT_ONCE) throw commonErrors.TOO_MANY_AT_ONCE({ retryAfterSeconds: 5 });
      running++;
      const snapshot = createSnapshot();
      const release = () => {
        running--;
        return snapshot.end();
      };
      try {
        return await begin(route, context, { ...options, bounds, snapshot, release });
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}

type Run = Options & { bounds: Bounds; snapshot: Snapshot; release: () => Promise<void> };

async function begin(route: Route, context: Asked, run: Run): Promise<Export> {
  const { place, bounds, snapshot, hasBom, columns, chosen, release } = run;
  const schema = route.response as z.ZodType<Rows>;
  const take = bounds.EXPORT_ROWS_AT_ONCE;
  const read = (page: number) =>
    snapshot.read(async () => {
      const request = { ...(context[place] as object), page, take };
      return schema.parse(await route.handler({ ...context, [place]: request }));
    });
  const hasMore = ({ totalPages }: Rows, at: number) => snapshot.hasMore() ?? at < totalPages;
  const outcome: Outcome = { rows: 0, isWhole: false, columns };
  const sending = { read, outcome, hasBom, onEnd: run.onEnd };
  const first = chosen
    ? await findRows(chosen, { read, hasMore }, AbortSignal.timeout(SEARCH_MS))
    : await read(1);
  const lines = linesOf(first, { ...sending, hasMore: chosen ? () => false : hasMore });
  const body = Readable.from(lines);
  const late = setTimeout(() => {
    body.destroy(new Error(`the export took longer than ${bounds.EXPORT_SECONDS} s`));
    void snapshot.end();
  }, bounds.EXPORT_SECONDS * 1000);
  const total = first.totalIsExact === false ? undefined : first.total;
  // A stream over a generator closes only after the generator has ended. Without this call, a running query would continue to its end.
  const stop = () => {
    clearTimeout(late);
    void release();
    if (!outcome.isWhole) void run.onEnd(outcome).catch(() => undefined);
  };
  return { body, total, sent: () => outcome.rows, stop };
}

/** The maximum time of the search for the chosen rows of an export. The search counts towards EXPORTS_AT_ONCE. */
const SEARCH_MS = 30_000;

type Reading = {
  read: (page: number) => Promise<Rows>;
  /** Returns true if more pages follow `page`, which has the number `at`. */
  hasMore: (page: Rows, at: number) => boolean;
};

/**
 * Returns the chosen rows of a list as one page, in the order of the list. Only ids are unique. Several rows can contain the same value of
 * another column, so the list is then read to its end. Throws 400 FILTER_TOO_WIDE if this takes too long.
 */
async function findRows(
  { column, ids }: ChosenRows,
  { read, hasMore }: Reading,
  ending: AbortSignal,
): Promise<Rows> {
  const missing = new Set(ids);
  const data: Row[] = [];
  for (let at = 1; ; at++) {
    if (ending.aborted) throw listErrors.FILTER_TOO_WIDE();
    const page = await read(at);
    for (const row of page.data) {
      const id = String(valueAt(row, column));
      if (ids.has(id)) data.push(row);
      missing.delete(id);
    }
    const hasAll = column === 'id' && missing.size === 0;
    const isOver = hasAll || !hasMore(page, at);
    if (isOver) return { ...page, data, total: data.length, totalPages: 1, totalIsExact: true };
  }
}

type Sending = Reading & Pick<Run, 'hasBom' | 'onEnd'> & { outcome: Outcome };

async function* linesOf(first: Rows, { read, hasMore, outcome, hasBom, onEnd }: Sending) {
  const { columns } = outcome;
  yield `${hasBom ? BOM : ''}${columns.join(',')}\r\n`;
  let page = first;
  for (let at = 1; ; page = await read(++at)) {
    outcome.rows += page.data.length;
    yield page.data.map((row) => lineOf(columns, row)).join('');
    if (!hasMore(page, at)) break;
  }
  if (first.totalIsExact !== false && first.total !== outcome.rows)
    throw new Error(`the list has ${first.total} rows, the export ${outcome.rows}`);
  await onEnd({ ...outcome, isWhole: true });
  outcome.isWhole = true;
}
