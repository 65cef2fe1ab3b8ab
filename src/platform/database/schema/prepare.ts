import type { Config } from '../../config/config.ts';
import type { Log } from '../../observability/log.ts';
import { createDb, createPool, type DbOptions } from '../db.ts';
import { assertDurable } from '../durability.ts';
import { serverOf } from '../embedded/server.ts';
import { assertSessions } from '../pooler.ts';
import { createPrimary } from '../replica/primary.ts';
import { whileStarting } from '../while-starting.ts';
import { checkCollation, checkUniqueKeys } from './collation.ts';
import { migrate } from './migrate.ts';

/**
 * Updates the schema and checks the settings before the process serves requests. Returns the applied migrations. Any number of processes
 * may run this concurrently: one migrates, the others wait. Migrations may last longer than any request.
 */
export async function prepareDatabase(
  database: DbOptions,
  config: Pick<Config, 'ALLOW_UNSAFE_DATABASE' | 'DATABASE_REPLICATION'>,
  log: Log,
): Promise<string[]> {
  const { primary = createPrimary(log) } = database;
  const { connectionString, startTimeoutMs } = database;
  const start = { what: 'schema', server: serverOf(connectionString), log, timeoutMs: startTimeoutMs };
  return whileStarting(start, () => prepareOnce({ ...database, primary }, config, log));
}

async function prepareOnce(
  database: DbOptions,
  config: Pick<Config, 'ALLOW_UNSAFE_DATABASE' | 'DATABASE_REPLICATION'>,
  log: Log,
): Promise<string[]> {
  const options = { ...database, poolSize: 2, statementTimeoutMs: 600_000, waitsForLogin: true };
  const pool = createPool(options, log);
  const db = createDb(pool);
  try {
    await assertSessions(pool);
    await assertDurable(db, config);
    await checkCollation(db, log);
    const applied = await migrate(db, log);
    await checkUniqueKeys(db, log);
    return applied;
  } finally {
    await pool.end();
  }
}
