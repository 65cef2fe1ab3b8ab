import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from './log.ts';

/** The lock that says that a pool of workers is alive: it ends with the connection, however the process ends. */
const PRESENCE = `hashtextextended('queue ' || $1, 0)`;

export type Presence = { close(): Promise<void> };

/**
 * Says that the workers of `id` are alive for as long as this process is, and frees the jobs of those that are not: the
 * library alone would keep them for four hours. Workers have to be found absent twice, `everyMs` apart, so that a
 * connection that breaks has the time to come back.
 */
export function startPresence(
  id: string,
  {
    connectionString,
    pool,
    log,
    everyMs,
  }: { connectionString: string; pool: pg.Pool; log: Log; everyMs: number },
): Presence {
  const closing = new AbortController();
  const state = { client: undefined as pg.Client | undefined, absent: new Set<string>() };
  const turn = async () => {
    state.client ??= await sayAlive(id, connectionString, (client) => {
      if (state.client === client) state.client = undefined;
    });
    const absent = await findAbsent(pool, id);
    const gone = absent.filter((worker) => state.absent.has(worker));
    state.absent = new Set(absent);
    for (const worker of gone) await freeJobs(pool, worker, log);
  };
  const repeat = async () => {
    while (!closing.signal.aborted) {
      await turn().catch((error: Error) =>
        log.warn({ error: error.message }, 'the queue cannot look after its locks'),
      );
      await sleep(everyMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  const repeating = repeat();
  return {
    async close() {
      closing.abort();
      await repeating;
      await state.client?.end().catch(() => undefined);
    },
  };
}

async function sayAlive(
  id: string,
  connectionString: string,
  lost: (client: pg.Client) => void,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'croupier queue presence',
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    query_timeout: 5000,
  });
  client.on('error', () => lost(client));
  client.on('end', () => lost(client));
  try {
    await client.connect();
    // A machine that vanishes is noticed within half a minute, not after hours.
    await client.query(
      'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
    );
    await client.query(`select pg_advisory_lock(${PRESENCE})`, [id]);
    return client;
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
}

/** Workers that hold jobs and whose presence nobody holds. The own ones are there, whatever their connection does. */
async function findAbsent(pool: pg.Pool, own: string): Promise<string[]> {
  const { rows } = await pool.query<{ worker: string }>(
    `select worker from (
       select distinct locked_by as worker from graphile_worker.jobs where locked_by <> $1
     ) holders
     where pg_try_advisory_xact_lock(${PRESENCE.replace('$1', 'worker')})`,
    [own],
  );
  return rows.map((row) => row.worker);
}

async function freeJobs(pool: pg.Pool, worker: string, log: Log): Promise<void> {
  const { rows } = await pool.query<{ id: string; task: string; last: boolean }>(
    `select id::text, task_identifier as task, attempts >= max_attempts as last
       from graphile_worker.jobs where locked_by = $1`,
    [worker],
  );
  await pool.query('select graphile_worker.force_unlock_workers(array[$1])', [worker]);
  for (const { id, task, last } of rows) {
    if (last)
      log.error({ job: task, jobId: id }, 'a worker died in the last attempt of a job: it stays as it is');
    else log.warn({ job: task, jobId: id }, 'a worker died in a job: it runs again');
  }
}
