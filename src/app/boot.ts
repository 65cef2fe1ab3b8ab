import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, ConfigError, loadConfig } from '../platform/config/config.ts';
import type { Db, DbOptions } from '../platform/database/db.ts';
import { startEmbeddedPostgres } from '../platform/database/embedded/postgres.ts';
import { isUsed } from '../platform/database/embedded/server.ts';
import { createLog, type Log, type Logs, silentLog } from '../platform/observability/log.ts';
import { reasonOf } from './reasons.ts';

/** Returns the configuration of this process, or prints its problems and exits. */
export function readConfig(): Config {
  try {
    return loadConfig(process.env, localSecret);
  } catch (error) {
    if (error instanceof ConfigError) {
      console.error(error.message);
      process.exit(2);
    }
    console.error(`not started: ${reasonOf(error)}`);
    process.exit(1);
  }
}

/** Returns a development secret, created once and stored next to the data. Tokens signed with it stay valid after a restart. */
function localSecret(name: string, dataDir: string): string {
  const folder = join(resolve(dataDir), 'secrets');
  const file = join(folder, name);
  // The parent folder keeps its default mode, because the PostgreSQL user must be able to reach the database files in it.
  mkdirSync(resolve(dataDir), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8');
}

/** The command-line argument that is passed to a part if its parent process starts and stops the database. */
export const OF_PARENT = '--database-of-parent';

export async function databaseOfParent(): Promise<Database> {
  const [{ databaseUrl }] = (await once(process, 'message')) as [{ databaseUrl: string }];
  return { url: databaseUrl, stop: async () => {} };
}

/**
 * Maximum time for which connections of stopped parts may stay open. The server notices within two seconds that the client of a running
 * statement has disconnected.
 */
const LEAVING_MS = 4000;

/** Returns true if a log line of the embedded PostgreSQL explains why startup is slow. */
export const isSlowLine = (line: string): boolean => /has (accepted no connection|not finished)/.test(line);

export type Database = { url: string; stop: () => Promise<void> };

/**
 * Returns DATABASE_URL or, if it is not set, the URL of the embedded PostgreSQL. Starts the embedded server unless another part has already
 * started it. The last process to exit stops the server.
 */
export async function openDatabase(config: Config, say: (line: string) => void): Promise<Database> {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, stop: async () => {} };
  const postgres = await startEmbeddedPostgres({
    dataDir: resolve(config.DATA_DIR, 'postgres'),
    log: say,
    startTimeoutMs: config.DATABASE_START_TIMEOUT_MS,
  });
  const stop = async () => {
    if (!(await isUsed(postgres.url, 'croupier', LEAVING_MS))) await postgres.stop();
  };
  return { url: postgres.url, stop };
}

/**
 * Runs a program on the database and returns its exit code. If the program throws, prints the reason and returns 1. The database is
 * released in both cases.
 */
export async function runOnDatabase(
  config: Config,
  program: (databaseUrl: string) => Promise<number>,
): Promise<number> {
  let database: Database | undefined;
  try {
    database = await openDatabase(config, () => {});
    return await program(database.url);
  } catch (error) {
    console.error(`failed: ${reasonOf(error, database?.url, { isEmbedded: !config.DATABASE_URL })}`);
    return 1;
  } finally {
    await database?.stop();
  }
}

/**
 * Like `runOnDatabase`, with a pool of one connection, for programs that only use the tables. The program is not run unless the database
 * has the tables of this version.
 */
export const runOnDb = (
  config: Config,
  { name, statementTimeoutMs = 60_000 }: { name: string; statementTimeoutMs?: number },
  program: (db: Db, database: DbOptions) => Promise<number>,
): Promise<number> =>
  runOnDatabase(config, async (connectionString) => {
    const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs };
    const database = { connectionString, poolSize: 1, ...timeouts, name: `croupier ${name}` };
    // Imported here because the supervisor also loads this file but never queries the database.
    const { createDb, createPool } = await import('../platform/database/db.ts');
    const { assertMigrated } = await import('../platform/database/schema/migrate.ts');
    const pool = createPool(database, silentLog);
    try {
      const db = createDb(pool);
      await assertMigrated(db);
      return await program(db, database);
    } finally {
      await pool.end();
    }
  });

/**
 * Runs `stop` once: on SIGTERM, on SIGINT, when the parent process has exited, or when the returned function is called. Then exits with 0
 * if everything finished in time and nothing failed.
 */
export function exitWith(stop: () => Promise<void>, config: Config, log: Log) {
  let stopping = false;
  const exit = (reason: string, code = 0) => {
    if (stopping) return;
    stopping = true;
    if (code === 0) log.info({ reason }, 'stopping');
    else console.error(`${reason}; stopping`);
    setTimeout(() => {
      log.error({}, 'shutdown timed out before all work finished');
      process.exit(1);
    }, config.SHUTDOWN_DRAIN_MS + config.SHUTDOWN_MS).unref();
    stop().then(
      () => process.exit(code),
      (error) => {
        log.error({ error: String(error) }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => exit('SIGTERM'));
  process.on('SIGINT', () => exit('SIGINT'));
  process.on('disconnect', () => exit('the parent process has exited'));
  return exit;
}

export const createPartLog = (name: string, config: Config): Logs =>
  createLog({ level: config.LOG_LEVEL, service: name });
