import { sql } from 'kysely';
import type { Log } from '../../observability/log.ts';
import type { Db } from '../db.ts';
import { listLocaleKeys } from './locale-keys.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Logs a warning if unique keys depend on a locale. Migrations prevent this for new columns. For older columns a new database is needed.
 */
export async function checkUniqueKeys(db: Db, log: Pick<Log, 'warn'>): Promise<void> {
  const keys = await listLocaleKeys(db);
  if (keys.length === 0) return;
  log.warn(
    { keys: keys.map(({ table, column }) => `${table}.${column}`) },
    'unique keys depend on the locale of the database: copy it into one with the locale C.UTF-8 (docs/operations/database.md)',
  );
}

/**
 * Throws if the database has a Turkish or related locale, which converts `I` to a dotless `ı`, so that one player could register twice. The
 * keys of names and addresses (`lower(email)`, `lower(username)`) contain only ASCII, which all other locales convert to lower case in the
 * same way. Logs a warning if the operating system's sort order changed after the indexes were built, because searches may miss rows.
 */
export async function checkCollation(db: Db, log: Pick<Log, 'warn'>): Promise<void> {
  const { rows } = await sql<{ folded: string; name: string; made: string | null; now: string | null }>`
    select lower(${LETTERS}::text) as folded, datname as name, datcollversion as made,
      pg_database_collation_actual_version(oid) as now
    from pg_database where datname = current_database()`.execute(db);
  const { folded, name, made, now } = rows[0]!;
  if (folded !== LETTERS.toLowerCase())
    throw new Error(
      'The database folds letters by the rules of another language (such as Turkish), so names would not be unique: create it with the locale C.UTF-8 or en_US.UTF-8.',
    );
  if (made === null || made === now) return;
  log.warn(
    { database: name, made, now },
    'the collation of the database has changed: text indexes may miss rows; run REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION (docs/operations/database.md)',
  );
}
