import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { numberOf } from './ahead.ts';

const FOLDER = fileURLToPath(new URL('../../../../schema/', import.meta.url));

/** The files of the baseline (schema/<name>.sql), in the order in which they run: an area refers only to earlier ones. */
export const FILES = [
  'shared',
  'base',
  'compliance',
  'accounts',
  'money',
  'games',
  'engagement',
  'backoffice',
  'operations',
];

/** The name under which a new database records the baseline. */
export const BASELINE = '0082-baseline';
const NUMBER = numberOf(BASELINE);

/** Creates all tables of the baseline and the rows that a new platform starts with. */
export async function createBaseline(db: Kysely<unknown>): Promise<void> {
  const texts = await Promise.all(FILES.map((file) => readFile(`${FOLDER}${file}.sql`, 'utf8')));
  await sql.raw(texts.join('\n')).execute(db);
}

/**
 * Returns the names that stand for the baseline in a database with these executed migrations. A database of version 0.1.0 reached the same
 * schema in 82 steps and has recorded each of them. Throws if some of these steps are missing.
 */
export function namesOfBaseline(executed: readonly string[]): string[] {
  const steps = executed.filter((name) => numberOf(name) <= NUMBER);
  if (steps.length === 0 || steps.includes(BASELINE)) return [BASELINE];
  const numbers = new Set(steps.map(numberOf));
  if (numbers.size === NUMBER) return steps;
  throw new Error(
    `The database has the tables of a version before 0.1.0 (${steps.length} of ${NUMBER} migrations): upgrade it with version 0.1.0 first, then start this version.`,
  );
}
