import type { Config } from './config.ts';
import { createDb, createPool, type DbOptions } from './db.ts';
import { assertDurable, assertWritable } from './durability.ts';
import type { Log } from './log.ts';
import { migrate } from './migrate.ts';

/**
 * Brings the schema up to date and checks the settings, before anything is served; returns the migrations that were applied. Any number of
 * processes may do it at the same time: one of them migrates, the others wait. Migrations may take longer than any request.
 */
export async function prepareDatabase(
  database: DbOptions,
  config: Pick<Config, 'ALLOW_UNSAFE_DATABASE'>,
  log: Log,
): Promise<string[]> {
  const pool = createPool({ ...database, poolSize: 1, statementTimeoutMs: 600_000 }, log);
  const db = createDb(pool);
  try {
    await assertWritable(db);
    await assertDurable(db, config.ALLOW_UNSAFE_DATABASE);
    return await migrate(db, log);
  } finally {
    await pool.end();
  }
}
