import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely';
import pg from 'pg';
import { within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { isTracing } from '../observability/trace.ts';
import { traceStatement } from '../observability/trace-sql.ts';
import { LONGEST_LOGIN_MS } from './connection-breaker.ts';
import { sqlState } from './errors.ts';
import { breakerOf, createGuarded, type Guarding } from './guard.ts';
import { snapshotPool } from './snapshot.ts';
import type { DB } from './tables.ts';

/** Parses int8 as bigint and leaves numeric as text, so that no amount read from the database becomes a float. */
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

export type Db = Kysely<DB>;
/** A function with a Tx parameter runs in its caller's transaction. Passing a pool handle instead does not compile. */
export type Tx = Transaction<DB>;
/** A handle for reads that may run inside or outside a transaction. */
export type DbOrTx = Db | Tx;
export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;
export type PgClient = pg.Client;

/**
 * Idle connections stay open longer than the minute between two runs of the jobs. A new connection costs PostgreSQL a new process with
 * empty catalog caches.
 */
const POOL_IDLE_MS = 120_000;

export type ConnectionOptions = Guarding & {
  connectionString: string;
  name: string;
  /** How long startup waits for the database. */
  startTimeoutMs?: number;
};
export type DbOptions = ConnectionOptions & { poolSize: number };

/**
 * Creates a pool in which every wait has a timeout. Statements time out in the client and in the server, and the pool survives connections
 * that end unexpectedly.
 */
export function createPool(options: DbOptions, log: Log): Pool {
  // Only a pipelined connection is discarded after a query_timeout. Any other connection returns to the pool while the query that timed out
  // still blocks the next one.
  const config = { ...connection(options), max: options.poolSize, pipeline: true };
  return createGuardedPool(config, options, log);
}

/** Creates a pool of guarded connections. It replaces connections that end. */
export function createGuardedPool(config: pg.PoolConfig, options: Guarding, log: Log): Pool {
  const pool = new pg.Pool({
    ...config,
    idleTimeoutMillis: POOL_IDLE_MS,
    connectionTimeoutMillis: options.connectTimeoutMs,
    Client: function createClientOfPool(own: pg.ClientConfig) {
      // The pool adds its error listener only in this callback. A connection error before that would be an uncaught exception.
      return createGuarded(own, options).on('error', ignore);
    } as unknown as NonNullable<pg.PoolConfig['Client']>,
  });
  allowSlowLogins(pool, options);
  // availability.ts logs an outage once. Logging here would repeat it for every connection.
  pool.on('error', (error) => log.debug({ error: error.message }, 'an idle database connection ended'));
  // The pool does not listen for errors on a borrowed connection, so its unexpected end would be an uncaught exception.
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

function ignore(): void {}

/**
 * While the database recovers, lets a login of the pool take longer than a borrower may wait. The borrower gets a timeout error, and the
 * new connection serves the next borrower.
 */
function allowSlowLogins(pool: Pool, options: Guarding): void {
  const breaker = breakerOf(options);
  if (!breaker) return;
  const { connectTimeoutMs } = options;
  const longestMs = connectTimeoutMs + LONGEST_LOGIN_MS;
  const timeoutMs = () => (breaker.isWell() ? connectTimeoutMs : longestMs);
  const waitMs = options.waitsForLogin ? longestMs : connectTimeoutMs;
  Object.defineProperty(pool.options, 'connectionTimeoutMillis', { get: timeoutMs });
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const borrow = async () => {
    if (breaker.isWell()) return connect();
    const lent = connect();
    const client = await within(waitMs, lent);
    if (client) return client;
    lent.then((late) => late.release(), ignore);
    throw new Error('timeout exceeded when trying to connect');
  };
  type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;
  const borrowOrCall = (callback?: Callback) =>
    callback
      ? void borrow().then(
          (client) => callback(undefined, client, client.release),
          (error: Error) => callback(error, undefined, ignore),
        )
      : borrow();
  Object.assign(pool, { connect: borrowOrCall });
}

export function createDb(pool: PostgresPool): Db {
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool: snapshotPool(pool) }),
    ...(isTracing() ? { log: traceStatement } : {}),
  });
}

/** Creates one connection outside the pool, for bet lanes (pipelined) and listeners. The caller must connect it and handle 'error'. */
export function createClient(options: ConnectionOptions, extra: { pipeline?: boolean } = {}): PgClient {
  return createGuarded({ ...connection(options), ...extra, keepAlive: true }, options);
}

function connection(options: ConnectionOptions): pg.ClientConfig {
  return {
    connectionString: options.connectionString,
    application_name: options.name,
    query_timeout: options.statementTimeoutMs + 300,
  };
}

const RETRIED = new Set(['40001', '40P01']);

/**
 * Runs `work` in one transaction, which is rolled back if `work` throws. Serialization failures and deadlocks (40001, 40P01) are retried,
 * up to five attempts in total. `work` must therefore have no effects outside the database.
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

/** Runs reads in one read-only transaction, so that all of them see the database at one point in time. */
export const consistentRead = <T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);

/** SQL text with its parameters. A bet lane prepares the statement under its name. A Kysely transaction sends it without a name. */
export type Statement = { name: string; text: string; values: unknown[] };

/** Runs a statement inside a transaction. Reads may also run outside one. */
export async function run<Row>(db: DbOrTx, { text, values }: Statement): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows;
}

/** Queues statements on a pipelined connection and writes them to the socket in one call. */
export function sendTogether(client: PgClient, statements: readonly Statement[]): Promise<pg.QueryResult>[] {
  const { stream } = (client as PgClient & { connection: { stream: Socket } }).connection;
  stream.cork();
  try {
    return statements.map((statement) => client.query(statement));
  } finally {
    stream.uncork();
  }
}
