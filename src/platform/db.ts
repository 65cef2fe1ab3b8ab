import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely';
import pg from 'pg';
import type { DB } from './database.ts';
import { sqlState } from './database-errors.ts';
import { enter, type Guarding, guard, guarded } from './guard.ts';
import type { Log } from './log.ts';
import { isTracing } from './trace.ts';
import { traceStatement } from './trace-sql.ts';

/** int8 comes back as bigint, numeric stays text: no amount ever becomes a float on its way out of the database. */
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

export type Db = Kysely<DB>;
/** A function that takes a Tx is atomic with its caller; a pool handle does not compile in its place. */
export type Tx = Transaction<DB>;
/** For reads that may run inside a transaction or outside. */
export type DbOrTx = Db | Tx;
export type Pool = pg.Pool;
export type PgClient = pg.Client;

/** Longer than the minute between jobs that run together: a connection costs PostgreSQL a process, and a process all it knows of the tables. */
export const POOL_IDLE_MS = 120_000;

export type ConnectionOptions = Guarding & {
  connectionString: string;
  connectTimeoutMs: number;
  name: string;
};
export type DbOptions = ConnectionOptions & { poolSize: number };

/** A pool that gives up waiting, times statements out on both ends and survives connections that end under it. */
export function createPool(options: DbOptions, log: Log): Pool {
  // Only a pipelined connection is given up after a query_timeout; any other goes back to the pool with the silent
  // query ahead of the next one.
  const mode = { max: options.poolSize, idleTimeoutMillis: POOL_IDLE_MS, pipeline: true };
  return watchPool(new pg.Pool({ ...connection(options), ...mode, ...guarded(options) }), log);
}

/** The end of a connection is nothing to a pool: it makes another. */
export function watchPool(pool: Pool, log: Log): Pool {
  // An outage is told once (availability.ts), not once for every connection.
  pool.on('error', (error) => log.debug({ error: error.message }, 'an idle database connection ended'));
  // While a connection is lent the pool does not listen to it, and its end would be an uncaught exception.
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

function ignore(): void {}

export function createDb(pool: PostgresPool): Db {
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    ...(isTracing() ? { log: traceStatement } : {}),
  });
}

/** One connection outside the pool: bet lanes (pipelined) and listeners. The caller connects and watches 'error'. */
export function createClient(options: ConnectionOptions, extra: { pipeline?: boolean } = {}): PgClient {
  const client = guard(new pg.Client({ ...connection(options), ...extra, keepAlive: true }), options);
  const connect = client.connect.bind(client) as () => Promise<unknown>;
  const connectAndEnter = async () => {
    await connect();
    await enter(client, options);
  };
  return Object.assign(client, { connect: connectAndEnter }) as PgClient;
}

function connection(options: ConnectionOptions): pg.ClientConfig {
  return {
    connectionString: options.connectionString,
    application_name: options.name,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.statementTimeoutMs + 300,
  };
}

const RETRIED = new Set(['40001', '40P01']);

/**
 * Runs `work` in one transaction. A throw rolls back. Serialization failures and deadlocks (40001, 40P01) are
 * tried again, five times at most: `work` must not have effects outside the database.
 */
export async function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= 5 || !RETRIED.has(sqlState(error) ?? '')) throw error;
      await sleep(attempt * attempt * 4 * (0.5 + Math.random()));
    }
  }
}

/** SQL text with its parameters: prepared under its name on a lane, plain inside a Kysely transaction. */
export type Statement = { name: string; text: string; values: unknown[] };

/** Runs a statement inside a transaction (or, for reads, outside). */
export async function run<Row>(db: DbOrTx, { text, values }: Statement): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows;
}

/** Queues statements on a pipelined connection and hands them to the socket in one write. */
export function sendTogether(client: PgClient, statements: readonly Statement[]): Promise<pg.QueryResult>[] {
  const { stream } = (client as PgClient & { connection: { stream: Socket } }).connection;
  stream.cork();
  try {
    return statements.map((statement) => client.query(statement));
  } finally {
    stream.uncork();
  }
}
