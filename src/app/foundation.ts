import { createRateLimiter } from '../http/server/rate-limit.ts';
import type { Broker } from '../platform/broker/broker.ts';
import { openNotify, openRabbit } from '../platform/broker/open.ts';
import { readCommit } from '../platform/commit.ts';
import type { Config } from '../platform/config/config.ts';
import { startAvailability } from '../platform/database/availability.ts';
import { createConnectionBreaker } from '../platform/database/connection-breaker.ts';
import { createDb, createPool, type DbOptions } from '../platform/database/db.ts';
import { createHistoryReads } from '../platform/database/replica/history-reads.ts';
import { createPrimary } from '../platform/database/replica/primary.ts';
import { startReplica } from '../platform/database/replica/replica.ts';
import { prepareDatabase } from '../platform/database/schema/prepare.ts';
import { createFiles } from '../platform/files/files.ts';
import { createHitStore } from '../platform/limits/hits.ts';
import type { Logs } from '../platform/observability/log.ts';
import { limitRepeats } from '../platform/observability/log-repeats.ts';
import { createMetrics } from '../platform/observability/metrics.ts';

export type FoundationOptions = { config: Config; log: Logs; name: string; databaseUrl: string };
export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Opens the platform services that all areas use, on a database with an up-to-date schema. */
export async function openFoundation(options: FoundationOptions) {
  const { config, log, name, databaseUrl } = options;
  const databaseLog = log.named('db');
  const primary = createPrimary(databaseLog);
  const database = { ...databaseOptions(config, name, databaseUrl), primary };
  const metrics = createMetrics(name, config.COMMIT ?? readCommit());
  const pool = createPool(database, databaseLog);
  metrics.watch('croupier_db_pool_waiting', 'Requests waiting for a connection', () => pool.waitingCount);
  const db = createDb(pool);
  await prepareDatabase(database, config, databaseLog);
  const { availability, databaseClock } = await startAvailability(database, {
    log: databaseLog,
    metrics,
    commitTimeoutMs: config.DATABASE_COMMIT_TIMEOUT_MS,
  });
  const replica = await openReplica(config, database, { primary: { db, pool }, log: databaseLog, metrics });
  const histories = createHistoryReads({
    replica,
    primary: { db, pool },
    waitMs: config.READ_HISTORIES_WAIT_MS,
    metrics,
  });
  const broker = await openBroker(options, { db, databaseClock });
  const limiter = createRateLimiter(rateLimits(config), createHitStore(db));

  return {
    /** The part that the process serves, or the command that it runs. */
    processName: name,
    config,
    log,
    metrics,
    database,
    db,
    /** The database for reads that may be slightly stale, such as staff reports, searches and long lists. */
    reads: replica?.db ?? db,
    replica,
    /** The database for reads of players' lists and histories, which must be current. */
    histories,
    databaseClock,
    availability,
    broker,
    /** Increments the metric for bets that a consumer has applied. */
    onConsumed: (consumer: string, bets: number) => metrics.consumerBets.inc({ consumer }, bets),
    files: createFiles({ config, log }),
    limiter,
    /** Stops everything that calls the services, before the services are closed. */
    async quieten() {
      limiter.close();
      await broker.close();
    },
    /** Closes the database connections. */
    async release() {
      await availability.close();
      await replica?.close();
      await pool.end();
    },
  };
}

/** Opens RabbitMQ if it is configured. */
async function openBroker(
  { config: { BROKER_URL: brokerUrl }, log, name }: FoundationOptions,
  own: Omit<Parameters<typeof openNotify>[0], 'log'>,
): Promise<Broker> {
  const brokerLog = limitRepeats(log.named('broker'));
  if (brokerUrl === undefined) return openNotify({ ...own, log: brokerLog });
  return openRabbit({ brokerUrl, name, log: brokerLog });
}

type ReplicaDeps = Pick<Parameters<typeof startReplica>[0], 'primary' | 'log' | 'metrics'>;

/** Returns the replica at DATABASE_READ_URL, or undefined if none is configured. */
const openReplica = async (config: Config, database: DbOptions, deps: ReplicaDeps) =>
  config.DATABASE_READ_URL === undefined
    ? undefined
    : startReplica({
        ...deps,
        options: {
          ...database,
          connectionString: config.DATABASE_READ_URL,
          primary: undefined,
          breaker: createConnectionBreaker(),
        },
        maxLagMs: config.READ_MAX_LAG_MS,
      });

const databaseOptions = (config: Config, name: string, databaseUrl: string): DbOptions => ({
  connectionString: databaseUrl,
  poolSize: config.DATABASE_POOL_SIZE,
  connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
  startTimeoutMs: config.DATABASE_START_TIMEOUT_MS,
  statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
  name: `croupier ${name}`,
});

const rateLimits = (config: Config) => ({
  auth: config.RATE_LIMIT_AUTH,
  money: config.RATE_LIMIT_MONEY,
  read: config.RATE_LIMIT_READ,
  public: config.RATE_LIMIT_PUBLIC,
  file: config.RATE_LIMIT_FILE,
  upload: config.RATE_LIMIT_UPLOAD,
  apikey: config.RATE_LIMIT_APIKEY,
});
