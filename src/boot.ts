import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, ConfigError, loadConfig } from './platform/config.ts';
import { isUsed } from './platform/database-server.ts';
import type { Db, DbOptions } from './platform/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { createLog, type Log, type Logs, silentLog } from './platform/log.ts';
import { reasonOf } from './reasons.ts';

/** The configuration of this process, or an exit with what is wrong with it. */
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

/** A secret for development, made once and kept beside the data: what it signed stays valid after a restart. */
function localSecret(name: string, dataDir: string): string {
  const folder = join(resolve(dataDir), 'secrets');
  const file = join(folder, name);
  // The folder above stays open: the user that PostgreSQL runs as passes through it to its data.
  mkdirSync(resolve(dataDir), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8');
}

/** Said to a part whose parent process opens the database, and stops it. */
export const OF_PARENT = '--database-of-parent';

export async function databaseOfParent(): Promise<Database> {
  const [{ databaseUrl }] = (await once(process, 'message')) as [{ databaseUrl: string }];
  return { url: databaseUrl, stop: async () => {} };
}

export type Database = { url: string; stop: () => Promise<void> };

/**
 * DATABASE_URL, or the embedded PostgreSQL: started, or joined when another part has started it. Whoever leaves last
 * stops it.
 */
export async function openDatabase(config: Config, say: (line: string) => void): Promise<Database> {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, stop: async () => {} };
  const postgres = await startEmbeddedPostgres({ dataDir: resolve(config.DATA_DIR, 'postgres'), log: say });
  const stop = async () => {
    if (!(await isUsed(postgres.url, 'croupier'))) await postgres.stop();
  };
  return { url: postgres.url, stop };
}

/**
 * Runs a program on the database and answers its exit code. The database is let go of also when the program throws: then the
 * reason is printed and the code is 1.
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
    console.error(`not done: ${reasonOf(error, database?.url)}`);
    return 1;
  } finally {
    await database?.stop();
  }
}

/** The same with one connection, for what needs no services but the tables of this version. */
export const runOnDb = (
  config: Config,
  { name, statementTimeoutMs = 60_000 }: { name: string; statementTimeoutMs?: number },
  program: (db: Db, database: DbOptions) => Promise<number>,
): Promise<number> =>
  runOnDatabase(config, async (connectionString) => {
    const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs };
    const database = { connectionString, poolSize: 1, ...timeouts, name: `croupier ${name}` };
    // Not above: the supervisor comes this way, and has no statements to make.
    const { createDb, createPool } = await import('./platform/db.ts');
    const { assertMigrated } = await import('./platform/migrate.ts');
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
 * Runs `stop` once on SIGTERM, SIGINT, when the parent is gone or when the returned function is called; then exits: 0 when
 * all was finished in time and nothing had failed.
 */
export function exitWith(stop: () => Promise<void>, config: Config, log: Log) {
  let stopping = false;
  const exit = (reason: string, code = 0) => {
    if (stopping) return;
    stopping = true;
    if (code === 0) log.info({ reason }, 'stopping');
    else console.error(`${reason}; stopping`);
    setTimeout(() => {
      log.error({}, 'not everything finished in time');
      process.exit(1);
    }, config.SHUTDOWN_DRAIN_MS + config.SHUTDOWN_MS).unref();
    stop().then(
      () => process.exit(code),
      (error) => {
        log.error({ error: String(error) }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => exit('SIGTERM'));
  process.on('SIGINT', () => exit('SIGINT'));
  process.on('disconnect', () => exit('the parent process is gone'));
  return exit;
}

export const createPartLog = (name: string, config: Config): Logs =>
  createLog({ level: config.LOG_LEVEL, service: name });
