import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { type Migration, type MigrationResult, Migrator } from 'kysely/migration';
import { sqlState } from './database-errors.ts';
import type { Db } from './db.ts';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';
import { isQueueMigrated, migrateQueue } from './queue-schema.ts';

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url));

/**
 * Brings the schema up to date with the numbered SQL files: forward only, in one transaction, one process at a time
 * (advisory lock). Throws when the database has a migration that this binary does not know: the binary is older
 * than the schema and would write what the newer one no longer expects. The queue's own tables come after them.
 */
export async function migrate(db: Db, log: Log, folder: string = FOLDER): Promise<string[]> {
  const results = await toLatest(migrator(db, folder));
  for (const { migrationName } of results) log.info({ migration: migrationName }, 'migration applied');
  await migrateQueue(db, log);
  return results.map((r) => r.migrationName);
}

/** How often, and how long apart, it is tried again while tables change under the eyes of the migrator. */
const LOOKS = 20;
const LOOK_AGAIN_MS = 100;
/** A table or a column that is not there. */
const GONE: ReadonlySet<string> = new Set(['42P01', '42703']);

/**
 * Before it takes its lock the migrator looks at the columns of every table. While another process renames tables of the queue one
 * of them may be gone between two looks: nothing was done yet, so it looks again.
 */
async function toLatest(migrations: Migrator): Promise<readonly MigrationResult[]> {
  for (let look = 1; ; look++) {
    const { results = [], error } = await migrations.migrateToLatest();
    if (!error) return results;
    const isGone = GONE.has(sqlState(error) ?? '');
    if (!isGone || results.length > 0 || look === LOOKS) throw explain(error);
    await sleep(LOOK_AGAIN_MS);
  }
}

/** True when every migration of this binary has run, those of the queue too. */
export async function isMigrated(db: Db): Promise<boolean> {
  const migrations = await migrator(db, FOLDER).getMigrations();
  return migrations.every((m) => m.executedAt !== undefined) && (await isQueueMigrated(db));
}

/** Throws unless the database has the tables of this version: programs that only use them tell so before they begin. */
export async function assertMigrated(db: Db): Promise<void> {
  const migrations = await migrator(db, FOLDER).getMigrations();
  const missing = migrations.filter(({ executedAt }) => executedAt === undefined).length;
  if (missing === migrations.length)
    throw new Error('The database has no tables of the platform yet: npm run migrate makes them.');
  const known = migrations.map(({ name }) => name);
  const { rows } = await sql<{ name: string }>`
    select name from schema_migrations where name <> all(${known})`.execute(db);
  if (rows.length > 0) throw newer(`it has ${rows.map(({ name }) => name).join(', ')}`);
  if (missing > 0 || !(await isQueueMigrated(db)))
    throw new Error('The database has the tables of an older version: run npm run migrate first.');
}

function migrator(db: Db, folder: string): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: () => readMigrations(folder) },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
  });
}

async function readMigrations(folder: string): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  const entries = files.map(async (file): Promise<[string, Migration]> => {
    const text = await readFile(join(folder, file), 'utf8');
    return [file.replace(/\.sql$/, ''), { up: async (db) => void (await sql.raw(text).execute(db)) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function explain(error: unknown): Error {
  const message = messageOf(error);
  if (!/corrupted migrations/.test(message)) return error instanceof Error ? error : new Error(message);
  return newer(message);
}

function newer(why: string): Error {
  return new Error(
    `The database is newer than this version of the platform: deploy the newer version. (${why})`,
  );
}
