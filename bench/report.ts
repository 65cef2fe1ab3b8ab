/** The result of a suite. It is printed as tables and checks, and written as JSON with `--json`. */
export type Report = {
  tables: readonly Table[];
  checks: readonly Check[];
  notes?: readonly string[];
  /** Single measurements and other details for the JSON file. */
  details?: object;
};

/** The first column contains names and is aligned to the left. */
export type Table = { title: string; columns: readonly string[]; rows: readonly (readonly Cell[])[] };
type Cell = string | number;

export type Limit = { atLeast: number } | { atMost: number };
export type Check = {
  what: string;
  value: number;
  limit: Limit | undefined;
  isMet: boolean;
  /** True if the benchmark exits with 1 because of this check. */
  fails: boolean;
  note: string;
};

type Verdict = { note?: string; isAdvisory?: boolean; margin?: number };

/**
 * Compares a value with its limit, if it has one. If `isAdvisory`, a missed limit is only reported. `margin` is the fraction by which the
 * limit may be missed before the benchmark fails.
 */
export function check(
  what: string,
  value: number,
  limit?: Limit,
  { note = '', isAdvisory = false, margin = 0 }: Verdict = {},
): Check {
  const isWithin = (tolerance: number) =>
    !limit ||
    ('atLeast' in limit ? value >= limit.atLeast * (1 - tolerance) : value <= limit.atMost * (1 + tolerance));
  return { what, value, limit, isMet: isWithin(0), fails: !isAdvisory && !isWithin(margin), note };
}

/** Combines the tables, checks and notes of several reports. */
export const merged = (...reports: readonly Report[]): Report => ({
  tables: reports.flatMap(({ tables }) => tables),
  checks: reports.flatMap(({ checks }) => checks),
  notes: reports.flatMap(({ notes = [] }) => notes),
});

export const isGood = ({ checks }: Report): boolean => checks.every(({ fails }) => !fails);

export function textOf({ tables, checks, notes = [] }: Report): string {
  return [...tables.flatMap(tableLines), ...notes, ...checkLines(checks)].join('\n');
}

function tableLines({ title, columns, rows }: Table): string[] {
  const text = [columns, ...rows].map((row) => row.map(shown));
  const widths = columns.map((_, i) => Math.max(...text.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[i]! + 2))).join('');
  return [title, ...text.map((row) => `  ${line(row).trimEnd()}`), ''];
}

function checkLines(checks: readonly Check[]): string[] {
  const width = Math.max(0, ...checks.map(({ what }) => what.length));
  return checks.map(({ what, value, limit, isMet, note }) => {
    const verdict = !limit ? '    ' : isMet ? 'PASS' : 'FAIL';
    const bound = !limit ? '' : 'atLeast' in limit ? `>= ${limit.atLeast}` : `<= ${limit.atMost}`;
    return `${verdict}  ${what.padEnd(width)}${shown(value).padStart(9)}  ${bound.padEnd(10)}${note}`.trimEnd();
  });
}

/** Shows about three digits of a number: two decimals below 10, one below 100, none above. */
export function shown(value: Cell): string {
  if (typeof value === 'string') return value;
  const size = Math.abs(value);
  return size >= 100 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en-US')
    : value.toFixed(size >= 10 ? 1 : 2);
}

export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field), 2);

export type Spread = { median: number; min: number; max: number };

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

export const medianOf = <T>(samples: readonly T[], of: (sample: T) => number): number =>
  spreadOf(samples.map(of)).median;

/** Returns the quantile: the value that this fraction (0 to 1) of all values does not exceed. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** Returns how long the work took, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
