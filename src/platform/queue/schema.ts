import type { Logger } from 'graphile-worker';
import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import type { Db } from '../database/db.ts';
import type { Log } from '../observability/log.ts';

/** Schema of the queue's tables. */
export const SCHEMA = 'graphile_worker';

/** The library's newest migration. A test fails when an update of the library adds more. */
export const QUEUE_REVISION = 20;

/**
 * Updates the queue's tables. Costs one query if the tables are up to date. Otherwise one process at a time migrates, because the library's
 * own detection of another process waits half a second.
 */
export async function migrateQueue(db: Db, log: Log): Promise<void> {
  if (await isQueueMigrated(db)) return;
  await db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended('migrate queue', 0)`;
    await sql`select pg_advisory_lock(${lock})`.execute(connection);
    // The library's twenty small transactions do not need a synchronous commit. The next synchronous commit flushes them too, and
    // migrations lost in a crash run again.
    await sql`set synchronous_commit = off`.execute(connection);
    try {
      const { runMigrations } = await import('graphile-worker');
      await runMigrations({ pgPool: asPool(connection), schema: SCHEMA, logger: await toQueueLog(log) });
    } finally {
      await sql`reset synchronous_commit`.execute(connection);
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
    }
  });
}

/** Returns true if the queue's tables match this version, or a newer one whose migrations the library marks as non-breaking. */
export async function isQueueMigrated(db: Db): Promise<boolean> {
  const found = await sql<{ table: string | null }>`
    select to_regclass(${`${SCHEMA}.migrations`})::text as "table"`.execute(db);
  if (!found.rows[0]?.table) return false;
  const { rows } = await sql<{ newest: number | null; breaking: number }>`
    select max(id) as newest, count(*) filter (where id > ${QUEUE_REVISION} and breaking)::int as breaking
    from ${sql.table(`${SCHEMA}.migrations`)}`.execute(db);
  const { newest, breaking } = rows[0]!;
  return newest !== null && newest >= QUEUE_REVISION && breaking === 0;
}

/** Provides the pool interface that the library needs, on the single connection that holds the lock. */
function asPool(connection: Db): pg.Pool {
  const query = (statement: string | { text: string; values?: unknown[] }, values: unknown[] = []) =>
    connection.executeQuery(
      typeof statement === 'string'
        ? CompiledQuery.raw(statement, values)
        : CompiledQuery.raw(statement.text, statement.values ?? []),
    );
  const client = { query, release: () => undefined };
  // Prevents the library's warning about pools without an error listener. The owner of this connection handles its errors.
  const listeners = () => [() => undefined];
  return { connect: async () => client, listeners, options: { max: 1 } } as unknown as pg.Pool;
}

/**
 * Messages about an operation that failed because a connection broke. They are not errors: the library repeats the operation or stops with
 * the error, which queue.ts then logs, and availability.ts logs an outage once.
 */
const OF_OUTAGE =
  /notify listener|UNLISTEN|occurred (fetching|during fetch|releasing)|Cron hit an error|Failed to (complete|fail|return|reset)/;
const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/**
 * Forwards the library's log lines to the platform's log, without the attached objects, which contain payloads. Job results are logged from
 * its events.
 */
export async function toQueueLog(log: Log): Promise<Logger> {
  const { Logger } = await import('graphile-worker');
  return new Logger(() => (level, message, meta) => {
    if (!meta?.failure) log[OF_OUTAGE.test(message) ? 'debug' : LEVELS[level]]({ part: 'queue' }, message);
  });
}
