import { createRateLimiter } from './http/rate-limit.ts';
import type { Route } from './http/route.ts';
import type { BetConsumer } from './modules/games/bets/consume.ts';
import { startAvailability } from './platform/availability.ts';
import type { Message } from './platform/broker/broker.ts';
import { openBroker } from './platform/broker/open.ts';
import type { Config } from './platform/config.ts';
import { createDb, createPool, type DbOptions } from './platform/db.ts';
import { createFiles } from './platform/files.ts';
import { createHitStore } from './platform/hits.ts';
import type { Job } from './platform/jobs.ts';
import type { Logs } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { prepareDatabase } from './platform/prepare.ts';
import { createPrimary } from './platform/primary.ts';
import type { Tasks } from './platform/queue.ts';
import { startReplica } from './platform/replica.ts';

/**
 * What an area hands to the processes (src/modules/<area>/area.ts, beside its `create`). Everything is a function of the services, so
 * that documents and tests read the routes without starting any.
 */
export type Area<Services> = {
  /** Of the main API, and of the backoffice. */
  routes?: (services: Services) => Route[];
  backofficeRoutes?: (services: Services) => Route[];
  /** What the worker repeats, and what it does when a request has put it into the queue. */
  jobs?: (services: Services) => Job[];
  tasks?: (services: Services) => Tasks;
  /** What the worker subscribes to on the broker. */
  subscriptions?: (services: Services) => Subscription[];
  /** What the worker has consume settled bets. */
  consumers?: (services: Services) => BetConsumer[];
  /** Registers the figures that only a worker measures. */
  watch?: (services: Services) => void;
  /** Before a process listens; all areas at once. */
  start?: (services: Services) => Promise<unknown>;
  /** After the last request; the latest area first. */
  close?: (services: Services) => Promise<unknown>;
};

/** A queue on the broker with what is done with its messages; see `Broker.subscribe`. */
export type Subscription = {
  queue: string;
  patterns: readonly string[];
  maxAttempts: number;
  handle: (message: Message) => Promise<void>;
};

export type FoundationOptions = { config: Config; log: Logs; name: string; databaseUrl: string };
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** What all areas stand on: one process's share of the platform, over a database whose schema is up to date. */
export async function openFoundation({ config, log, name, databaseUrl }: FoundationOptions) {
  const databaseLog = log.named('db');
  const primary = createPrimary(databaseLog);
  const database = { ...databaseOptions(config, name, databaseUrl), primary };
  const metrics = createMetrics(name);
  const pool = createPool(database, databaseLog);
  metrics.watch('db_pool_waiting', 'Requests waiting for a connection', () => pool.waitingCount);
  const db = createDb(pool);
  await prepareDatabase(database, config, databaseLog);
  const { availability, databaseClock } = await startAvailability(database, {
    log: databaseLog,
    metrics,
    commitTimeoutMs: config.DATABASE_COMMIT_TIMEOUT_MS,
  });
  const replica = config.DATABASE_READ_URL
    ? await startReplica({
        options: { ...database, connectionString: config.DATABASE_READ_URL, primary: undefined },
        primary: { db, pool },
        maxLagMs: config.READ_MAX_LAG_MS,
        log: databaseLog,
        metrics,
      })
    : undefined;
  const broker = await openBroker({
    brokerUrl: config.BROKER_URL,
    db,
    connectionString: databaseUrl,
    primary,
    name,
    log: log.named('broker'),
  });
  const limiter = createRateLimiter(rateLimits(config), createHitStore(db));

  return {
    config,
    log,
    metrics,
    database,
    db,
    /** For what only reads and may be a little old: reports, searches and long lists of staff. */
    reads: replica?.db ?? db,
    replica,
    databaseClock,
    availability,
    broker,
    files: createFiles({ config, log }),
    limiter,
    /** Ends what may still call the services: before they are closed. */
    async quieten() {
      limiter.close();
      await broker.close();
    },
    /** Lets go of the database. */
    async release() {
      await availability.close();
      await replica?.close();
      await pool.end();
    },
  };
}

const databaseOptions = (config: Config, name: string, databaseUrl: string): DbOptions => ({
  connectionString: databaseUrl,
  poolSize: config.DATABASE_POOL_SIZE,
  connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
  statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
  name: `croupier ${name}`,
});

const rateLimits = (config: Config) => ({
  auth: config.RATE_LIMIT_AUTH,
  money: config.RATE_LIMIT_MONEY,
  read: config.RATE_LIMIT_READ,
  public: config.RATE_LIMIT_PUBLIC,
  upload: config.RATE_LIMIT_UPLOAD,
  apikey: config.RATE_LIMIT_APIKEY,
});
