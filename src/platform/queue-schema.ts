import type { Logger } from 'graphile-worker';
import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import type { Db } from './db.ts';
import type { Log } from './log.ts';

/** Where the queue keeps its tables. */
export const SCHEMA = 'graphile_worker';

/** The newest migration of the library; a test says when an update of the library brings more. */
export const QUEUE_REVISION = 20;

/**
 * Brings the tables of the queue up to date. One query when they are; else one process at a time, the library's own
 * way of noticing another waits half a second for it.
 */
export async function migrateQueue(db: Db, log: Log): Promise<void> {
  if (await isQueueMigrated(db)) return;
  await db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended('migrate queue', 0)`;
    await sql`select pg_advisory_lock(${lock})`.execute(connection);
    // Twenty small transactions. Whatever is committed after them takes them to the disk first, and what a crash loses is done again.
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

/** True when the tables of the queue are those of this version, or of a newer one of the library that says it leaves them usable. */
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

/** What the library asks of a pool, on the one connection that holds the lock. */
function asPool(connection: Db): pg.Pool {
  const query = (statement: string | { text: string; values?: unknown[] }, values: unknown[] = []) =>
    connection.executeQuery(
      typeof statement === 'string'
        ? CompiledQuery.raw(statement, values)
        : CompiledQuery.raw(statement.text, statement.values ?? []),
    );
  const client = { query, release: () => undefined };
  // It warns of pools to whose errors nobody listens; this one is looked after by its owner.
  const listeners = () => [() => undefined];
  return { connect: async () => client, listeners, options: { max: 1 } } as unknown as pg.Pool;
}

/** Its connection broke and is made again: an outage is told once, by whoever watches the database. */
const OF_OUTAGE = /notify listener|UNLISTEN/;
const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/**
 * The library's log lines in ours, without the objects that it attaches: they hold payloads. What becomes of a job
 * is logged from its events.
 */
export async function toQueueLog(log: Log): Promise<Logger> {
  const { Logger } = await import('graphile-worker');
  return new Logger(() => (level, message, meta) => {
    if (!meta?.failure) log[OF_OUTAGE.test(message) ? 'debug' : LEVELS[level]]({ part: 'queue' }, message);
  });
}
