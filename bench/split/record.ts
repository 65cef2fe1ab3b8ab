/**
 * Preloaded with `--import` in every process of the platform. Records each statement sent to PostgreSQL, its caller and a few samples of
 * its parameter values. Each process writes its own file in the folder RECORD_STATEMENTS.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import pg from 'pg';

/** `part` is the name of the program that the process runs. */
export type Recorded = {
  text: string;
  module: string | undefined;
  part: string;
  calls: number;
  samples: unknown[][];
};

/**
 * Converts values in the same way as pg does before it sends them: to strings, bytes and null. This function of pg has no type
 * declarations.
 */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  prepareValue: (value: unknown) => unknown;
};

const FIRST = 2;
const SAMPLES = 10;
/**
 * Number of attempts to find a statement's caller. When several calls are combined into one statement, the first stack trace may not
 * contain the caller.
 */
const LOOKS = 5;
const SENDER = /\/src\/modules\/([^/]+\/[^/]+)\//;

const folder = process.env.RECORD_STATEMENTS;
/** Demo players use a separate API process. */
const part = process.argv[1]?.includes('/demo/') ? 'api' : (process.argv[2] ?? 'start');
const seen = new Map<string, Recorded>();

function note(text: string, values: readonly unknown[] = []): void {
  const known = seen.get(text) ?? { text, module: undefined, part, calls: 0, samples: [] };
  seen.set(text, known);
  known.calls++;
  if (known.module === undefined && known.calls <= LOOKS) known.module = sender();
  // Keeps the first and the last samples. Rows in the last samples most likely still exist when the statements are repeated.
  if (known.samples.length === SAMPLES) known.samples.splice(FIRST, 1);
  known.samples.push(values.map((value) => prepareValue(value)));
}

function sender(): string | undefined {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const found = SENDER.exec(new Error().stack ?? '')?.[1];
  Error.stackTraceLimit = before;
  return found;
}

function save(): void {
  if (seen.size > 0) writeFileSync(join(folder!, `${process.pid}.bin`), serialize([...seen.values()]));
}

if (folder) {
  type Asked = string | { text?: string; values?: unknown[] };
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, asked: Asked, ...rest: unknown[]) {
    const text = typeof asked === 'string' ? asked : asked.text;
    const values = Array.isArray(rest[0]) ? rest[0] : typeof asked === 'string' ? [] : asked.values;
    if (text) note(text, values);
    return (query as (...all: unknown[]) => unknown).call(this, asked, ...rest);
  } as typeof query;
  setInterval(save, 2000).unref();
  process.on('exit', save);
}
