import { sql } from 'kysely';
import type { Db } from './db.ts';

const NEEDED = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** Names the settings of the database under which an acknowledged bet could be lost. */
export async function unsafeSettings(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in (${sql.join(NEEDED)})`.execute(db);
  return rows.filter((row) => row.setting === 'off').map((row) => row.name);
}

/** Throws when the database could lose what it acknowledged, unless that was asked for (tests only). */
export async function assertDurable(db: Db, allowUnsafe: boolean): Promise<void> {
  const unsafe = allowUnsafe ? [] : await unsafeSettings(db);
  if (unsafe.length === 0) return;
  throw new Error(`The database would lose acknowledged bets in a crash: switch on ${unsafe.join(', ')}.`);
}
