import { type PostgresPool, sql } from 'kysely';
import { AppError } from '../../errors.ts';
import { pause, within } from '../../jobs/timers.ts';
import { createSharedRead } from '../../limits/shared-read.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Db, Pool, PoolClient } from '../db.ts';
import { readingFrom } from '../snapshot.ts';
import type { Replica } from './replica.ts';

/** Runs a player's reads on the replica or on the primary. `work` may run twice, so it must only read. */
export type HistoryReads = <T>(work: () => Promise<T>) => Promise<T>;

type Deps = {
  replica: Pick<Replica, 'pool' | 'isUsed'> | undefined;
  primary: { db: Db; pool: Pool };
  /** Longest wait for the replica. 0 means that reads always use the primary. */
  waitMs: number;
  metrics: Pick<Metrics, 'historyReads'>;
};

/** Pause between two checks of a replica that lags. */
const LOOK_MS = 2;
/** A replica that was too slow is skipped for this long. */
const SKIP_MS = 1000;
/** An unresponsive connection is discarded this long after the timeout. */
const STUCK_MS = 100;

/**
 * Creates reads that run on the replica once the replica has replayed everything that the primary had written when the request arrived. A
 * player therefore always reads their own writes. A read never returns older data than an earlier read, regardless of which process or
 * server handles the requests. A replica that is unavailable, or does not catch up within `waitMs`, is skipped. A read that fails on the
 * replica is repeated on the primary.
 */
export function createHistoryReads({ replica, primary, waitMs, metrics }: Deps): HistoryReads {
  if (replica === undefined || waitMs === 0) return (work) => work();
  const written = createSharedRead(() => readWritten(primary.db));
  const state = { skippedUntil: Number.NEGATIVE_INFINITY };
  const isUsed = () => replica.isUsed() && performance.now() >= state.skippedUntil;
  return async (work) => {
    if (!isUsed()) return onPrimary(metrics, work);
    const fence = await written();
    const lending = { isDone: true };
    const pool = lendReplayed({ replica: replica.pool, primary: primary.pool }, fence, {
      waitMs,
      isUsed,
      skip: () => {
        lending.isDone = false;
        state.skippedUntil = performance.now() + SKIP_MS;
      },
    });
    const count = () => metrics.historyReads.inc({ by: lending.isDone ? 'replica' : 'primary' });
    try {
      const result = await readingFrom(pool, work);
      count();
      return result;
    } catch (error) {
      if (!(error instanceof AppError)) return onPrimary(metrics, work);
      count();
      throw error;
    }
  };
}

function onPrimary<T>(metrics: Deps['metrics'], work: () => Promise<T>): Promise<T> {
  metrics.historyReads.inc({ by: 'primary' });
  return work();
}

/** Returns the primary's flushed position. Acknowledged writes have been flushed, and a replica receives only flushed writes. */
async function readWritten(db: Db): Promise<bigint> {
  const { rows } = await sql<{ position: bigint }>`
    select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::int8 as position`.execute(db);
  return rows[0]!.position;
}

type Lending = { waitMs: number; isUsed: () => boolean; skip: () => void };

/** The last replay position that the server of each connection reported. A position never decreases. */
const replayedBy = new WeakMap<object, bigint>();

/**
 * Provides connections of the replica if the replica has replayed up to `fence`, otherwise connections of the primary. Each connection is
 * queried separately because one address may point to several replicas.
 */
function lendReplayed(
  pools: { replica: Pool; primary: Pool },
  fence: bigint,
  { waitMs, isUsed, skip }: Lending,
): PostgresPool {
  return {
    async connect() {
      // Staff reports may use all connections of this pool. In this case the replica is busy, not unavailable.
      if (pools.replica.waitingCount > 0) return pools.primary.connect();
      const client = isUsed() ? await connectWithin(pools.replica, waitMs) : undefined;
      if (client !== undefined) {
        const isReplayed = await within(waitMs + STUCK_MS, hasReplayed(client, fence, waitMs)).catch(
          () => undefined,
        );
        if (isReplayed) return client;
        client.release(isReplayed === undefined);
      }
      skip();
      return pools.primary.connect();
    },
    end: async () => {},
    options: {},
  };
}

async function connectWithin(pool: Pool, ms: number) {
  const connecting = pool.connect();
  const client = await within(ms, connecting).catch(() => undefined);
  if (client === undefined) connecting.then((late) => late.release()).catch(() => undefined);
  return client;
}

async function hasReplayed(client: PoolClient, fence: bigint, waitMs: number): Promise<boolean> {
  const until = performance.now() + waitMs;
  for (;;) {
    if ((replayedBy.get(client) ?? -1n) >= fence) return true;
    const { rows } = await client.query<{ replayed: bigint | null }>(REPLAYED);
    const replayed = rows[0]?.replayed;
    // The server is a primary. It is either the server of DATABASE_URL or a promoted replica, whose history may differ.
    if (replayed === null || replayed === undefined) return false;
    replayedBy.set(client, replayed);
    if (replayed >= fence) return true;
    if (performance.now() + LOOK_MS > until) return false;
    await pause(LOOK_MS);
  }
}

const REPLAYED = `select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8 end as replayed`;
