import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createDb, createPool, type Db } from '../src/platform/database/db.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { silentLog } from '../src/platform/observability/log.ts';

/**
 * A migrated, empty PostgreSQL database in a temporary folder, with durable commits. Also contains the environment variables of the servers
 * that use it.
 */
export type World = {
  postgres: EmbeddedPostgres;
  db: Db;
  env: Readonly<Record<string, string> & { JWT_SECRET: string; SEED_SECRET: string }>;
  close(): Promise<void>;
};

/**
 * Settings of every server in the benchmark: the project's defaults, but without rate limits and without cached responses. The queue has
 * room for 64 series of 100 bets.
 */
const SETTINGS = {
  APP_ENV: 'test',
  LOG_LEVEL: 'warn',
  USER_MONEY_AT_ONCE: '0',
  USER_CALLS_AT_ONCE: '0',
  RATE_LIMIT_AUTH: '0',
  RATE_LIMIT_MONEY: '0',
  RATE_LIMIT_READ: '0',
  RATE_LIMIT_PUBLIC: '0',
  RATE_LIMIT_APIKEY: '0',
  ACCESS_TOKEN_SECONDS: '86400',
  BET_QUEUE: '8192',
  DASHBOARD_SHARED_SECONDS: '0',
};

const TIMED = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_utility': 'on',
  'pg_stat_statements.track': 'all',
};

/**
 * Starts the database of a benchmark. `timed` records the time of every SQL statement (pg_stat_statements), which slows down the server
 * slightly.
 */
export async function createWorld({ timed }: { timed: boolean }): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'croupier-bench-'));
  const undoing = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  const close = async (): Promise<void> => {
    for (let undo = undoing.pop(); undo; undo = undoing.pop()) await undo();
  };
  try {
    // The server's user must be able to enter the folder when the script runs as root.
    await chmod(folder, 0o711);
    const postgres = await startEmbeddedPostgres({
      dataDir: join(folder, 'postgres'),
      durable: true,
      // Every variant has its own connections, and most of them are idle.
      settings: { max_connections: '120', ...(timed ? TIMED : {}) },
    });
    undoing.push(postgres.stop);
    const db = openDb(postgres.url);
    undoing.push(() => db.destroy());
    await migrate(db, silentLog);
    if (timed) await sql`create extension pg_stat_statements`.execute(db);
    return { postgres, db, env: { ...SETTINGS, DATABASE_URL: postgres.url, ...secrets() }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens connections whose statements may take up to an hour. */
export function openDb(connectionString: string): Db {
  const pool = createPool(
    {
      connectionString,
      poolSize: 4,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 3_600_000,
      name: 'bench',
    },
    silentLog,
  );
  return createDb(pool);
}

const secrets = () => ({
  JWT_SECRET: randomBytes(32).toString('hex'),
  SEED_SECRET: randomBytes(32).toString('hex'),
  DATA_SECRET: randomBytes(32).toString('hex'),
});

const DURABILITY = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;

/** Returns the settings of the running PostgreSQL server that determine whether acknowledged commits survive a crash. */
export async function durabilityOf(db: Db): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in (${sql.join([
      ...DURABILITY,
      'wal_sync_method',
      'server_version',
      'shared_buffers',
      'checkpoint_timeout',
      'max_wal_size',
    ])}) order by name`.execute(db);
  return Object.fromEntries(rows.map((row) => [row.name, row.setting]));
}

export type Rows = { bets: number; lines: number };
export type BeforeAndAfter = { before: Rows; after: Rows };

export async function countRows(db: Db): Promise<Rows> {
  const { rows } = await sql<Rows>`
    select (select count(*)::int from bets) as bets, (select count(*)::int from ledger_lines) as lines`.execute(
    db,
  );
  return rows[0]!;
}
