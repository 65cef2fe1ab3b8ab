import type { Config } from './config.ts';
import { createDb, createPool, type DbOptions } from './db.ts';
import { assertDurable } from './durability.ts';
import type { Log } from './log.ts';
import { migrate } from './migrate.ts';
import { assertSessions } from './pooler.ts';
import { createPrimary } from './primary.ts';

/**
 * Brings the schema up to date and checks the settings, before anything is served; returns the migrations that were applied. Any number of
 * processes may do it at the same time: one of them migrates, the others wait. Migrations may take longer than any request.
 */
export async function prepareDatabase(
  database: DbOptions,
  config: Pick<Config, 'ALLOW_UNSAFE_DATABASE' | 'DATABASE_REPLICATION'>,
  log: Log,
): Promise<string[]> {
  const { primary = createPrimary(log) } = database;
  const options = { ...database, primary, poolSize: 2, statementTimeoutMs: 600_000 };
  const pool = createPool(options, log);
  const db = createDb(pool);
  try {
    await assertSessions(pool);
    await assertDurable(db, config);
    return await migrate(db, log);
  } finally {
    await pool.end();
  }
}
