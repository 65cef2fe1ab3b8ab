import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { type Migration, type MigrationResult, Migrator } from 'kysely/migration';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../observability/log.ts';
import { isQueueMigrated, migrateQueue } from '../../queue/schema.ts';
import type { Db } from '../db.ts';
import { sqlState } from '../errors.ts';
import { neededBy, numberOf, unbearableOf, unknownOf } from './ahead.ts';
import { createBaseline, namesOfBaseline } from './baseline.ts';
import { type LocaleKey, listLocaleKeys, pinLocaleKeys } from './locale-keys.ts';

const FOLDER = fileURLToPath(new URL('../../../../migrations/', import.meta.url));

/**
 * Creates the schema in an empty database (baseline.ts) and updates it with the numbered SQL files: forward only, in one transaction, one
 * process at a time (advisory lock). A database with unknown newer migrations is left unchanged if this version is compatible with them
 * (ahead.ts), so both versions can run at the same time. Throws if it is not compatible, or if the database is older than the baseline. The
 * queue's own tables are updated afterwards.
 */
export async function migrate(db: Db, log: Log, folder: string = FOLDER): Promise<string[]> {
  const earlier = await executedIn(db);
  const steps = await stepsAfter(earlier, folder);
  const applied = isSame(steps, earlier) ? [] : await applyAll(db, steps, log);
  for (const migration of applied) log.info({ migration }, 'migration applied');
  if (earlier.length > 0) warnOfSkipped(applied, log);
  await migrateQueue(db, log);
  return applied;
}

/** Returns true if exactly these steps have run. The migrator, which reads the columns of every table, is then not needed. */
const isSame = (steps: readonly Step[], executed: readonly string[]): boolean =>
  steps.length === executed.length && steps.every(({ name }, i) => name === executed[i]);

async function applyAll(db: Db, steps: readonly Step[], log: Log): Promise<string[]> {
  const results = await toLatest(migrator(db, steps), log).catch(async (error: unknown) => {
    if (!isCorrupted(error)) throw error;
    const ahead = assertAhead(steps, await executedIn(db));
    if (ahead.length === 0) throw newer(messageOf(error));
    log.warn({ migrations: ahead }, 'the schema belongs to a newer version that is compatible with this one');
    return [];
  });
  return results.map((r) => r.migrationName);
}

/**
 * Logs a warning if an upgrade skipped a version that a migration needs, because processes of incompatible older versions may still be
 * running.
 */
function warnOfSkipped(applied: readonly string[], log: Log): void {
  const numbers = new Set(applied.map(numberOf));
  for (const migration of applied)
    if (numbers.has(neededBy(migration)))
      log.warn({ migration }, 'a version was skipped; stop all processes of older versions now');
}

/** Number and interval of retries if another process changes tables during the migrator's check. */
const LOOKS = 20;
const LOOK_AGAIN_MS = 100;
/** SQLSTATEs of a missing table or column. */
const GONE: ReadonlySet<string> = new Set(['42P01', '42703']);
/**
 * While a migration waits for a table's lock, all later statements on that table wait behind it. The wait therefore has a short timeout.
 * The whole migration is then retried after a pause in which users of the table can finish. All attempts together last ten minutes.
 */
const LOCK_TIMEOUT = '2s';
const LOCK_AGAIN_MS = 1000;
const LOCK_TRIES = 200;
/** SQLSTATEs of a lock timeout and a deadlock. */
const LOCKED: ReadonlySet<string> = new Set(['55P03', '40P01']);

/**
 * Migrates to the latest version. The migrator reads the columns of every table before it acquires its lock. If another process renames the
 * queue's tables at this time, one of them may disappear. No changes have been made at that point, so the migration is retried. A lock
 * timeout rolls everything back.
 */
async function toLatest(migrations: Migrator, log: Log): Promise<readonly MigrationResult[]> {
  for (let look = 1, tries = 1; ; ) {
    const { results = [], error } = await migrations.migrateToLatest();
    if (!error) return results;
    const state = sqlState(error) ?? '';
    if (LOCKED.has(state) && tries++ < LOCK_TRIES) {
      log.warn({ error: messageOf(error) }, 'a migration is waiting for a table that is in use; retrying');
      await sleep(LOCK_AGAIN_MS);
    } else if (GONE.has(state) && results.length === 0 && look++ < LOOKS) await sleep(LOOK_AGAIN_MS);
    else throw error instanceof Error ? error : new Error(messageOf(error));
  }
}

/** Returns true when every migration of this version has run, including the queue's. */
export async function isMigrated(db: Db): Promise<boolean> {
  const executed = await executedIn(db);
  return pendingOf(await stepsAfter(executed), executed).length === 0 && (await isQueueMigrated(db));
}

/**
 * Throws unless the database has the tables of this version, or of a newer one that it is compatible with. Programs that only use the
 * tables call this before they begin.
 */
export async function assertMigrated(db: Db): Promise<void> {
  const executed = await executedIn(db);
  const steps = await stepsAfter(executed);
  const pending = pendingOf(steps, executed);
  if (pending.length === steps.length)
    throw new Error(
      'The database has no tables of the platform yet: run npx croupier migrate to create them.',
    );
  assertAhead(steps, executed);
  if (pending.length > 0 || !(await isQueueMigrated(db)))
    throw new Error('The database has the tables of an older version: run npx croupier migrate first.');
}

/** Returns the executed migrations that this version does not have. Throws if it is not compatible with them. */
function assertAhead(steps: readonly Step[], executed: readonly string[]): string[] {
  const known = steps.map(({ name }) => name);
  const unknown = unknownOf(known, executed);
  const unbearable = unbearableOf(known, unknown);
  if (unbearable.length > 0) throw newer(`it has ${unbearable.join(', ')}`);
  const pending = pendingOf(steps, executed);
  if (unknown.length > 0 && pending.length > 0)
    throw newer(`it has ${unknown.join(', ')}, but not ${pending.join(', ')}`);
  return unknown;
}

/** Returns the names of the steps that have not run. */
function pendingOf(steps: readonly Step[], executed: readonly string[]): string[] {
  const done = new Set(executed);
  return steps.map(({ name }) => name).filter((name) => !done.has(name));
}

async function executedIn(db: Db): Promise<string[]> {
  const found = await sql<{ table: string | null }>`
    select to_regclass('schema_migrations')::text as "table"`.execute(db);
  if (!found.rows[0]?.table) return [];
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db);
  return rows.map(({ name }) => name);
}

function migrator(db: Db, steps: readonly Step[]): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrationsOf(steps) },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
  });
}

type Step = { name: string; run: (db: Kysely<unknown>) => Promise<unknown> };

/** Returns this version's migrations, in order, for a database with these executed migrations. */
async function stepsAfter(executed: readonly string[], folder: string = FOLDER): Promise<Step[]> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  return [
    ...namesOfBaseline(executed).map((name) => ({ name, run: createBaseline })),
    ...files.map((file) => ({
      name: file.replace(/\.sql$/, ''),
      run: async (db: Kysely<unknown>) => sql.raw(await readFile(join(folder, file), 'utf8')).execute(db),
    })),
  ];
}

function migrationsOf(steps: readonly Step[]): Record<string, Migration> {
  let earlier: readonly LocaleKey[] | undefined;
  const entries = steps.map(({ name, run }, i): [string, Migration] => {
    const up: Migration['up'] = async (db) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(db);
      // Before the first migration no process uses any table.
      earlier ??= i === 0 ? [] : await listLocaleKeys(db);
      await run(db);
      if (i === steps.length - 1) await pinNewKeys(db, earlier);
    };
    return [name, { up }];
  });
  return Object.fromEntries(entries);
}

/** Makes unique keys on new columns independent of the locale. Older columns are unchanged, because running processes use them. */
async function pinNewKeys(db: Db, earlier: readonly LocaleKey[]): Promise<void> {
  const known = new Set(earlier.map(({ table, column }) => `${table}.${column}`));
  const keys = await listLocaleKeys(db);
  await pinLocaleKeys(
    db,
    keys.filter(({ table, column }) => !known.has(`${table}.${column}`)),
  );
}

/** Returns true for Kysely's error about executed migrations that are missing, or about new migrations that precede executed ones. */
function isCorrupted(error: unknown): boolean {
  return /corrupted migrations/.test(messageOf(error));
}

function newer(why: string): Error {
  return new Error(
    `The database is newer than this version of the platform: deploy the newer version. (${why})`,
  );
}
