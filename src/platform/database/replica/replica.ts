import { type PostgresPool, sql } from 'kysely';
import { pause } from '../../jobs/timers.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { createDb, createPool, type Db, type DbOptions, type Pool } from '../db.ts';
import { createOwnConnection } from '../own-connection.ts';
import { createLagMeter } from './lag.ts';

/** A pool for reads that may be slightly stale. It uses the replica while the replica is usable, otherwise the primary. */
export type Replica = { db: Db; pool: Pool; isUsed(): boolean; lagMs(): number; close(): Promise<void> };

const LOOK_MS = 1000;
/** A skipped replica is used again once its lag is below this fraction of `maxLagMs`. */
const WELL = 0.5;

type Deps = {
  /** Options of the replica's pool, which has a separate breaker. */
  options: DbOptions;
  primary: { db: Db; pool: Pool };
  maxLagMs: number;
  log: Log;
  metrics: Pick<Metrics, 'watch'>;
};

/**
 * Creates a read-only pool on a streaming replica. A replica that is down, lags by more than `maxLagMs` or follows another primary is
 * skipped, and one warning is logged. It is checked every second and used again when it has recovered. Startup never fails because of the
 * replica, because the primary can serve the reads.
 */
export async function startReplica({ options, primary, maxLagMs, log, metrics }: Deps): Promise<Replica> {
  const pool = createPool({ ...options, isReadOnly: true }, log);
  const closing = new AbortController();
  const state = { isUsed: false, isWarned: false, lagMs: Number.POSITIVE_INFINITY };
  const leave = (reason: string) => {
    if (!state.isWarned) log.warn({ reason }, 'the read replica is skipped; the primary serves its reads');
    state.isUsed = false;
    state.isWarned = true;
  };
  const watch = createWatch(options, primary.db);
  const look = async () => {
    const seen = await watch
      .look()
      .catch((error: Error) => ({ lagMs: Number.POSITIVE_INFINITY, problem: error.message }));
    if (closing.signal.aborted) return;
    state.lagMs = seen.lagMs;
    const isWell = seen.lagMs <= maxLagMs * (state.isUsed ? 1 : WELL);
    if (!isWell) return leave(seen.problem ?? `it is ${seen.lagMs} ms behind`);
    if (state.isWarned) log.info({ lagMs: seen.lagMs }, 'the read replica has recovered and is used again');
    state.isUsed = true;
    state.isWarned = false;
  };
  await look();
  const repeat = async () => {
    while (!closing.signal.aborted) {
      await pause(LOOK_MS, closing.signal);
      if (!closing.signal.aborted) await look();
    }
  };
  const looking = repeat();
  watchReplica(metrics, state, pool);
  const choosing = choosePool(
    { replica: pool, primary: primary.pool },
    { isUsed: () => state.isUsed, leave },
  );
  return {
    db: createDb(choosing),
    pool,
    isUsed: () => state.isUsed,
    lagMs: () => state.lagMs,
    async close() {
      closing.abort();
      await looking;
      await watch.close();
      await pool.end();
    },
  };
}

function watchReplica(metrics: Deps['metrics'], state: { isUsed: boolean; lagMs: number }, pool: Pool): void {
  metrics.watch('croupier_db_replica_used', '1 while the read replica serves reports', () =>
    Number(state.isUsed),
  );
  metrics.watch('croupier_db_replica_lag_seconds', 'Lag of the read replica', () => state.lagMs / 1000);
  metrics.watch(
    'croupier_db_replica_pool_waiting',
    'Requests waiting for a connection to the replica',
    () => pool.waitingCount,
  );
}

/** Provides connections of the replica, or of the primary if the replica is unavailable. */
function choosePool(
  pools: { replica: Pool; primary: Pool },
  { isUsed, leave }: { isUsed: () => boolean; leave: (reason: string) => void },
): PostgresPool {
  return {
    async connect() {
      if (!isUsed()) return pools.primary.connect();
      try {
        return await pools.replica.connect();
      } catch (error) {
        // All connections of the replica's pool are in use. The reports must wait instead of moving to the primary.
        if (isExhausted(error)) throw error;
        leave((error as Error).message);
        return pools.primary.connect();
      }
    },
    end: async () => {},
    options: {},
  };
}

const isExhausted = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

type Written = { cluster: string; startedAt: string; position: bigint };
type Replayed = { cluster: string; startedAt: string; replayed: bigint | null };

/** Compares the replica's replayed position with the primary's written position. */
function createWatch(options: DbOptions, primary: Db) {
  const lag = createLagMeter();
  const own = { ...options, statementTimeoutMs: LOOK_MS, name: `${options.name} watch`, isReadOnly: true };
  const connection = createOwnConnection(own);
  let latest: Written | undefined;
  let before: Replayed | undefined;
  /**
   * The start time of a server that has replayed positions never written by the primary. Such a server is skipped until it is restarted.
   */
  let strayed: string | undefined;

  const askReplica = async () => {
    const client = await connection.get();
    try {
      return (await client.query<Replayed>(REPLAYED)).rows[0]!;
    } catch (error) {
      connection.lose(client, (error as Error).message);
      throw error;
    }
  };
  const askPrimary = async () => {
    const { rows } = await WRITTEN.execute(primary).catch(() => ({ rows: [] }));
    for (const row of rows) {
      latest = row;
      lag.wrote(row.position, performance.now());
      if (before?.replayed != null && before.replayed > row.position) strayed = before.startedAt;
    }
  };
  return {
    /** `problem` is the reason why the replica is unusable regardless of its lag. */
    async look(): Promise<{ lagMs: number; problem?: string }> {
      await askPrimary();
      const seen = await askReplica();
      before = seen;
      const problem = problemOf(latest, seen, strayed);
      if (problem !== undefined) return { lagMs: Number.POSITIVE_INFINITY, problem };
      // The address points to the primary itself.
      if (seen.replayed === null) return { lagMs: 0 };
      return { lagMs: lag.behind(seen.replayed, performance.now()) };
    },
    close: connection.close,
  };
}

function problemOf(
  primary: Written | undefined,
  { cluster, startedAt, replayed }: Replayed,
  strayed: string | undefined,
): string | undefined {
  if (primary === undefined) return 'the primary does not respond';
  if (cluster !== primary.cluster)
    return 'DATABASE_READ_URL leads to another database cluster than DATABASE_URL';
  if (replayed === null && startedAt !== primary.startedAt)
    return 'DATABASE_READ_URL leads to a server that accepts writes and is not the primary of DATABASE_URL';
  if (startedAt === strayed)
    return 'it has changes that the primary does not have: it follows another primary';
  return undefined;
}

const POSITION = (of: string) => `(${of} - '0/0'::pg_lsn)::int8`;
const IDENTITY = `(select system_identifier::text from pg_control_system()) as cluster,
  pg_postmaster_start_time()::text as "startedAt"`;
const WRITTEN = sql<Written>`
  select ${sql.raw(IDENTITY)}, ${sql.raw(POSITION('pg_current_wal_lsn()'))} as position`;
const REPLAYED = `select ${IDENTITY},
  case when pg_is_in_recovery() then coalesce(${POSITION('pg_last_wal_replay_lsn()')}, 0) end as replayed`;
