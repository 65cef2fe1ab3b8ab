import { sql } from 'kysely';
import { readBackupAge } from '../../../modules/operations/backups/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import { createDb, createPool, type Db } from '../../../platform/database/db.ts';
import { unsafeSettings } from '../../../platform/database/durability.ts';
import { describeDatabase } from '../../../platform/database/embedded/server.ts';
import { sqlState } from '../../../platform/database/errors.ts';
import { assertMigrated } from '../../../platform/database/schema/migrate.ts';
import { messageOf } from '../../../platform/errors.ts';
import { silentLog } from '../../../platform/observability/log.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const OLDEST_VERSION = 150_000;
/** Clock differences in milliseconds. Signed webhooks and one-time codes fail when a clock is half a minute wrong. */
const CLOCK_WARNING_MS = 1000;
const CLOCK_PROBLEM_MS = 30_000;
/** A daily backup is late after this time; the alert BackupTooOld uses the same time. */
const BACKUP_SECONDS = 26 * 3600;

/** Checks the database. Throws if it cannot be reached. */
export async function checkDatabase(connectionString: string, config: Config): Promise<Finding[]> {
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 10_000 };
  const pool = createPool({ connectionString, poolSize: 1, ...timeouts, name: 'croupier doctor' }, silentLog);
  const db = createDb(pool);
  try {
    const { rows } = await sql<{ number: number; name: string; isReadOnly: boolean }>`
      select current_setting('server_version_num')::int as number, current_setting('server_version') as name,
        current_setting('transaction_read_only')::bool as "isReadOnly"`.execute(db);
    const { number, name, isReadOnly } = rows[0]!;
    const at = `PostgreSQL ${name}, ${describeDatabase(connectionString)}`;
    if (number < OLDEST_VERSION)
      return [problem('database', `${at} is too old`, 'use PostgreSQL 15 or newer')];
    // On a standby, transactions are read-only too.
    if (isReadOnly)
      return [
        problem(
          'database',
          `${at} is read-only`,
          'set DATABASE_URL to the primary, or correct default_transaction_read_only of the server, database or role',
        ),
      ];
    const durability = (await unsafeSettings(db, config)).map((text) =>
      problem('durability', `acknowledged bets could be lost: ${text}`, 'change the setting of the server'),
    );
    const migrations = await checkMigrations(db);
    return [
      ok('database', at),
      await checkRights(db),
      ...durability,
      migrations,
      await checkClock(db),
      ...(migrations.status === 'ok' ? [await checkBackup(db, config)] : []),
    ];
  } finally {
    await pool.end();
  }
}

/** The role of the services migrates the schema, so it must own the tables and may create schemas and tables. */
async function checkRights(db: Db): Promise<Finding> {
  const { rows } = await sql<{ role: string; creates: boolean; foreign: number }>`
    select current_user as role,
      has_schema_privilege('public', 'create') and has_database_privilege(current_database(), 'create') as creates,
      (select count(*)::int from pg_tables where schemaname = 'public' and not pg_has_role(tableowner, 'usage')) as foreign`.execute(
    db,
  );
  const { role, creates, foreign } = rows[0]!;
  if (foreign > 0)
    return problem(
      'role',
      `${role} does not own ${foreign} tables`,
      'use the role of the services, which owns the tables',
    );
  return creates
    ? ok('role', `${role} may migrate and use the tables`)
    : problem(
        'role',
        `${role} may not create tables`,
        'make it the owner of the database, or grant it CREATE on the database and on its schema public',
      );
}

async function checkMigrations(db: Db): Promise<Finding> {
  try {
    await assertMigrated(db);
    return ok('migrations', 'none are pending');
  } catch (error) {
    if (sqlState(error) === '42501')
      return problem('migrations', messageOf(error), 'use the role of the services, which owns the tables');
    const message = messageOf(error);
    return /newer than this version/.test(message)
      ? problem('migrations', message, 'deploy the newer version')
      : warning('migrations', message, 'run npx croupier migrate, or start a part, which does the same');
  }
}

async function checkClock(db: Db): Promise<Finding> {
  const before = Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const after = Date.now();
  // The database read its clock at some time between the two.
  const now = rows[0]!.now.getTime();
  const offMs = Math.round(Math.max(0, before - now, now - after));
  const message = `differs from the database by ${offMs} ms`;
  const remedy = 'synchronise both clocks (systemd-timesyncd or chrony)';
  if (offMs >= CLOCK_PROBLEM_MS) return problem('clock', message, remedy);
  return offMs >= CLOCK_WARNING_MS ? warning('clock', message, remedy) : ok('clock', message);
}

async function checkBackup(db: Db, { isDevelopment }: Config): Promise<Finding> {
  const seconds = await readBackupAge(db);
  const isAbsent = Number.isNaN(seconds);
  const message = isAbsent ? 'none was recorded' : `the newest is ${(seconds / 3600).toFixed(1)} hours old`;
  return isDevelopment || seconds <= BACKUP_SECONDS
    ? ok('backup', message)
    : warning(
        'backup',
        message,
        'schedule npx croupier backup (docs/how-to/back-up-and-restore.md), and read its log',
      );
}
