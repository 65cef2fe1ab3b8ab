import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';

/** The whole, and the two halves that players would be split over. */
export type Databases = { whole: pg.Client; halves: readonly [pg.Client, pg.Client] };

/**
 * What an answer needs.
 * nothing: no row was found, which says nothing. either: both halves give it alone. one: one half gives it alone, the other does not.
 * joined: the rows of both halves one after the other. combined: it cannot be put together from the answers of the halves without computing.
 */
export type Need = 'nothing' | 'either' | 'one' | 'joined' | 'combined';

/** Strongest last: what one of several calls needs the statement needs. */
const STRENGTH: readonly Need[] = ['nothing', 'either', 'one', 'joined', 'combined'];

export const strongest = (needs: readonly Need[]): Need =>
  STRENGTH[Math.max(0, ...needs.map((need) => STRENGTH.indexOf(need)))]!;

type Rows = readonly string[];

/** Runs a statement on all three and compares; undefined when it cannot be run again. All is rolled back. */
export async function replay(
  { whole, halves }: Databases,
  text: string,
  values: readonly unknown[],
): Promise<Need | undefined> {
  const answers = await Promise.all([whole, ...halves].map((db) => answerOf(db, text, values)));
  const [all, left, right] = answers;
  return all && left && right ? needOf(all, left, right) : undefined;
}

/** Rows as texts; their order counts for nothing. */
export function needOf(all: Rows, left: Rows, right: Rows): Need {
  if (all.length === 0) return left.length + right.length === 0 ? 'nothing' : 'combined';
  const [a, l, r] = [all, left, right].map((rows) => rows.toSorted()) as [string[], string[], string[]];
  const [isLeft, isRight] = [isDeepStrictEqual(a, l), isDeepStrictEqual(a, r)];
  if (isLeft || isRight) return isLeft && isRight ? 'either' : 'one';
  const isJoined = [[...l, ...r].toSorted(), joined(l, r)].some((rows) => isDeepStrictEqual(a, rows));
  return isJoined ? 'joined' : 'combined';
}

/** Rows of both; what both have, as rows of the catalogue, counts once. */
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

/** Time stands still on a database that is thrown away: what is compared is asked at the same moment. */
export async function stopTime(db: pg.Client, at: string): Promise<void> {
  for (const name of TIMES)
    await db.query(`create or replace function pg_catalog.${name}() returns timestamptz
      language sql stable parallel safe as $$ select '${at}'::timestamptz $$`);
}
