import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';

/** The whole database, and the two databases that each contain half of the players. */
export type Databases = { whole: pg.Client; halves: readonly [pg.Client, pg.Client] };

/**
 * The databases that a statement needs for its result.
 * - nothing: no row was found, so the need is unknown.
 * - either: each half returns the same result as the whole.
 * - one: only one half returns the same result as the whole.
 * - joined: the concatenated rows of both halves are the result.
 * - combined: the results of the halves cannot be concatenated and need further computation.
 */
export type Need = 'nothing' | 'either' | 'one' | 'joined' | 'combined';

/** The possible needs in increasing order. A statement's need is the highest need of all its calls. */
const STRENGTH: readonly Need[] = ['nothing', 'either', 'one', 'joined', 'combined'];

export const strongest = (needs: readonly Need[]): Need =>
  STRENGTH[Math.max(0, ...needs.map((need) => STRENGTH.indexOf(need)))]!;

type Rows = readonly string[];

/** Runs a statement on all three databases, compares the results and rolls everything back. Returns undefined if the statement fails. */
export async function replay(
  { whole, halves }: Databases,
  text: string,
  values: readonly unknown[],
): Promise<Need | undefined> {
  const answers = await Promise.all([whole, ...halves].map((db) => answerOf(db, text, values)));
  const [all, left, right] = answers;
  return all && left && right ? needOf(all, left, right) : undefined;
}

/** Returns the need of a statement with these results. Rows are compared as strings, regardless of their order. */
export function needOf(all: Rows, left: Rows, right: Rows): Need {
  if (all.length === 0) return left.length + right.length === 0 ? 'nothing' : 'combined';
  const [a, l, r] = [all, left, right].map((rows) => rows.toSorted()) as [string[], string[], string[]];
  const [isLeft, isRight] = [isDeepStrictEqual(a, l), isDeepStrictEqual(a, r)];
  if (isLeft || isRight) return isLeft && isRight ? 'either' : 'one';
  const isJoined = [[...l, ...r].toSorted(), joined(l, r)].some((rows) => isDeepStrictEqual(a, rows));
  return isJoined ? 'joined' : 'combined';
}

/** Joins the rows of both halves. Rows that both halves contain, such as those of the catalogue, are included once. */
function joined(left: Rows, right: Rows): string[] {
  const more = [...right];
  const rest = left.filter((row) => {
    const at = more.indexOf(row);
    if (at >= 0) more.splice(at, 1);
    return at < 0;
  });
  return [...rest, ...right].toSorted();
}

async function answerOf(db: pg.Client, text: string, values: readonly unknown[]): Promise<Rows | undefined> {
  try {
    await db.query('begin');
    await db.query("set local statement_timeout = '5s'");
    const { rows } = await db.query<string[]>({
      text,
      values: values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
      rowMode: 'array',
      types: { getTypeParser: () => (raw: string) => raw },
    } as unknown as pg.QueryArrayConfig);
    return rows.map((row) => JSON.stringify(row));
  } catch {
    return undefined;
  } finally {
    await db.query('rollback');
  }
}

const TIMES = ['now', 'transaction_timestamp', 'statement_timestamp', 'clock_timestamp'];

/** Freezes the time of a temporary database, so that the compared statements use the same time. */
export async function stopTime(db: pg.Client, at: string): Promise<void> {
  for (const name of TIMES)
    await db.query(`create or replace function pg_catalog.${name}() returns timestamptz
      language sql stable parallel safe as $$ select '${at}'::timestamptz $$`);
}
