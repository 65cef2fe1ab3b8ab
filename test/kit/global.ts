/** Starts one PostgreSQL for the whole run, with a migrated template that every test file clones. Builds the pages as `npm start` does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { createDb, createPool } from '../../src/platform/database/db.ts';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/postgres.ts';
import { migrate } from '../../src/platform/database/schema/migrate.ts';
import { silentLog } from '../../src/platform/observability/log.ts';
import { TEMPLATE } from './database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: string;
  }
}

// biome-ignore lint/style/noDefaultExport: the form that the test runner expects
export default async function setup(project: TestProject) {
  // Builds nothing if the pages are up to date.
  await promisify(execFile)(process.execPath, ['web/build.ts']);
  const dataDir = mkdtempSync(join(fastFolder(), 'croupier-test-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    durable: false,
    database: TEMPLATE,
    // PostgreSQL records the commit time of each transaction, from which tests determine the order of two transactions.
    settings: {
      max_connections: '300',
      shared_buffers: '512MB',
      max_wal_size: '256MB',
      track_commit_timestamp: 'on',
      max_prepared_transactions: '8',
      // Autovacuum is off, so statistics change only when a test collects them.
      autovacuum: 'off',
    },
  });
  const pool = createPool(
    {
      connectionString: postgres.urlFor(TEMPLATE),
      poolSize: 1,
      connectTimeoutMs: 5000,
      statementTimeoutMs: 60_000,
      name: 'template',
    },
    silentLog,
  );
  await migrate(createDb(pool), silentLog);
  await pool.end();
  project.provide('postgres', postgres.urlFor('{database}'));
  return async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 2 ** 31;

/** Stores the data in memory if there is enough, because cloning a database is then ten times faster than on disk. */
function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > NEEDED_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
