import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createServices, type Services } from '../src/app/services.ts';
import { listConsumers } from '../src/modules/games/bets/consumers.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { createDb, createPool, type Db, type DbOrTx } from '../src/platform/database/db.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { createLog, silentLog } from '../src/platform/observability/log.ts';

/** Registers a cleanup function that runs at the end, even after an error. */
export type Later = (undo: () => Promise<unknown>) => void;

/**
 * A migrated, empty PostgreSQL database in a temporary folder, with durable commits. Also contains the environment variables of the servers
 * that use it.
 */
export type World = {
  postgres: EmbeddedPostgres;
  db: Db;
  env: Readonly<Record<string, string> & Record<keyof ReturnType<typeof secrets> | 'DATABASE_URL', string>>;
};

/** Returns a template function that runs SQL and returns the rows: ``await query(db)`vacuum analyze` ``. */
export const query =
  (db: DbOrTx) =>
  async <Row>(text: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> =>
    (await sql<Row>(text, ...values).execute(db)).rows;

/** Settings of every server: the defaults without rate limits and cached responses. The queue has room for 64 series of 100 bets. */
const SETTINGS = {
  APP_ENV: 'test',
  LOG_LEVEL: 'warn',
  USER_MONEY_AT_ONCE: '0',
  USER_CALLS_AT_ONCE: '0',
  RATE_LIMIT_AUTH: '0',
  RATE_LIMIT_MONEY: '0',
  RATE_LIMIT_READ: '0',
  RATE_LIMIT_PUBLIC: '0',
  RATE_LIMIT_FILE: '0',
  RATE_LIMIT_APIKEY: '0',
  ACCESS_TOKEN_SECONDS: '86400',
  BET_QUEUE: '8192',
  DASHBOARD_SHARED_SECONDS: '0',
};

const secret = () => randomBytes(32).toString('hex');
const secrets = () => ({ JWT_SECRET: secret(), SEED_SECRET: secret(), DATA_SECRET: secret() });

const TIMED = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_utility': 'on',
  'pg_stat_statements.track': 'all',
};

/** Starts the database of a benchmark. `isTimed` loads pg_stat_statements. The cleanup is registered before the database is ready. */
export async function createWorld({ isTimed, later }: { isTimed: boolean; later: Later }): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'croupier-bench-'));
  later(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  // The server's user must be able to enter the folder when the script runs as root.
  await chmod(folder, 0o711);
  const starting = startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    durable: true,
    // Every server has its own connections, and most of them are idle.
    settings: { max_connections: '120', ...(isTimed ? TIMED : {}) },
  });
  later(async () => (await starting.catch(() => undefined))?.stop());
  const postgres = await starting;
  const db = await openMigrated(postgres.url, later);
  if (isTimed) await query(db)`create extension pg_stat_statements`;
  return { postgres, db, env: { ...SETTINGS, DATABASE_URL: postgres.url, ...secrets() } };
}

/** Creates another migrated, empty database on the same PostgreSQL server. */
export async function addDatabase(world: World, name: string, later: Later): Promise<World> {
  await query(world.db)`create database ${sql.ref(name)}`;
  const DATABASE_URL = world.postgres.urlFor(name);
  const db = await openMigrated(DATABASE_URL, later);
  return { ...world, db, env: { ...world.env, DATABASE_URL } };
}

/** Creates the services of a platform process. The timeout of bets is long, so that no bet fails because the machine is busy. */
export async function openServices(env: NodeJS.ProcessEnv, later?: Later): Promise<Services> {
  const config = loadConfig({ ...env, BET_DEADLINE_MS: '60000' });
  const log = createLog({ level: 'error', service: 'bench' });
  const services = await createServices({ config, log, name: 'bench', databaseUrl: config.DATABASE_URL! });
  later?.(() => services.close());
  return services;
}

/** Waits until all consumers have processed all bets. */
export async function allConsumed(db: Db): Promise<void> {
  while ((await listConsumers(db)).some(({ lagBets }) => lagBets > 0)) await sleep(50);
}

/** Opens connections whose statements may take up to an hour, and migrates the database. */
async function openMigrated(connectionString: string, later: Later): Promise<Db> {
  const timeouts = { connectTimeoutMs: 10_000, statementTimeoutMs: 3_600_000 };
  const db = createDb(createPool({ connectionString, poolSize: 4, name: 'bench', ...timeouts }, silentLog));
  later(() => db.destroy());
  await migrate(db, silentLog);
  return db;
}

/** Returns the settings of the running PostgreSQL server that determine whether acknowledged commits survive a crash. */
export async function durabilityOf(db: Db): Promise<Record<string, string>> {
  const rows = await query(db)<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method',
      'server_version', 'shared_buffers', 'checkpoint_timeout', 'max_wal_size') order by name`;
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

/** `ms`: the total time of all calls. The time of COMMIT includes waiting for the disk. */
export type StatementTime = { query: string; calls: number; ms: number };

/** Returns the clients' SQL statements since the last reset, the most frequent first. */
export const readStatements = (db: Db): Promise<StatementTime[]> => query(db)<StatementTime>`
  select calls::float8 as calls, total_exec_time + total_plan_time as ms, regexp_replace(query, '\\s+', ' ', 'g') as query
  from pg_stat_statements where toplevel and query not like '%pg_stat_statements%' order by calls desc`;

export const resetStatements = (db: Db): Promise<unknown> => query(db)`select pg_stat_statements_reset()`;
