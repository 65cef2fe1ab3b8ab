/** Writes src/platform/database/tables.ts: the types of all tables, generated from a freshly migrated database. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, createPool } from '../src/platform/database/db.ts';
import { startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { silentLog } from '../src/platform/observability/log.ts';

/** Writes the types. With `verify` it writes nothing, and throws if the file does not match the migrations. */
export async function buildTables(verify: boolean): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'croupier-types-'));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, port: 54_329 });
  try {
    const pool = createPool(
      {
        connectionString: postgres.url,
        poolSize: 2,
        connectTimeoutMs: 5000,
        statementTimeoutMs: 60_000,
        name: 'types',
      },
      silentLog,
    );
    await migrate(createDb(pool), silentLog);
    await pool.end();
    // The options are in .kysely-codegenrc.json. The pattern excludes the internal tables of the queue.
    execFileSync('node_modules/.bin/kysely-codegen', verify ? ['--verify'] : [], { stdio: 'inherit' });
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
