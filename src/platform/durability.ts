import { sql } from 'kysely';
import type { Db } from './db.ts';

const NEEDED = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** Names the settings of the database under which an acknowledged bet could be lost. */
export async function unsafeSettings(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in (${sql.join(NEEDED)})`.execute(db);
  return rows.filter((row) => row.setting === 'off').map((row) => row.name);
}

/** Throws when nothing can be written: DATABASE_URL has to lead to the primary, with a role that may write. */
export async function assertWritable(db: Db): Promise<void> {
  const { rows } = await sql<{ standby: boolean; read_only: boolean }>`
    select pg_is_in_recovery() as standby,
      current_setting('transaction_read_only')::bool as read_only`.execute(db);
  const { standby, read_only: isReadOnly } = rows[0]!;
  if (standby)
    throw new Error(
      'DATABASE_URL leads to a replica, on which nothing can be written: name the primary there, and the replica in DATABASE_READ_URL.',
    );
  if (isReadOnly)
    throw new Error(
      'DATABASE_URL leads to a database that takes no writes: default_transaction_read_only is on for this server, database, role or address.',
    );
}

/** Throws when the database could lose what it acknowledged, unless that was asked for (tests only). */
export async function assertDurable(db: Db, allowUnsafe: boolean): Promise<void> {
  const unsafe = allowUnsafe ? [] : await unsafeSettings(db);
  if (unsafe.length === 0) return;
  throw new Error(`The database would lose acknowledged bets in a crash: switch on ${unsafe.join(', ')}.`);
}
