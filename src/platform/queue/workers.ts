import type pg from 'pg';
import { untilBeat } from '../clock.ts';
import type { PgClient } from '../database/db.ts';
import { createOwnConnection } from '../database/own-connection.ts';
import type { Primary } from '../database/replica/primary.ts';
import { messageOf } from '../errors.ts';
import { pause } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { IS_SUPERSEDED } from './cron.ts';

type Parts = {
  connectionString: string;
  primary?: Primary | undefined;
  pool: pg.Pool;
  log: Log;
  everyMs: number;
};

const TIMEOUT_MS = 5000;

/**
 * Shows that the workers of `id` are alive by holding an advisory lock on a dedicated connection. The lock is released when the process ends
 * for any reason. Checks every `everyMs` for workers that hold jobs but not their lock, and releases the jobs of those for which two
 * consecutive checks find no lock, so that a process has time to reconnect. The library alone would keep those jobs locked for four hours.
 */
export function watchWorkers(id: string, { connectionString, primary, pool, log, everyMs }: Parts) {
  const closing = new AbortController();
  let absent = new Set<string>();
  const address = { connectionString, primary, name: 'croupier queue presence' };
  const connection = createOwnConnection(
    { ...address, connectTimeoutMs: TIMEOUT_MS, statementTimeoutMs: TIMEOUT_MS },
    {
      async prepare(client) {
        // The server may still hold the lock for the broken connection.
        await client.query(`select pg_advisory_lock(${lockOf('$1::text')})`, [id]);
        absent = new Set();
      },
    },
  );
  const look = async () => {
    const client = await connection.get();
    const found = await readAbsent(client, id).catch((error: Error) => {
      connection.lose(client, error.message);
      throw error;
    });
    const gone = found.filter((other) => absent.has(other));
    absent = new Set(found);
    for (const worker of gone) await freeJobs(pool, worker, log);
  };
  const repeat = async () => {
    let isFailing = false;
    while (!closing.signal.aborted) {
      try {
        await look();
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ error: messageOf(error) }, 'could not check for dead workers');
        isFailing = true;
      }
      // A timer that fires early must not cause a second check in the same interval.
      await pause(untilBeat(everyMs, 0.9 * everyMs), closing.signal);
    }
  };
  const repeating = repeat();
  return {
    async close(): Promise<void> {
      closing.abort();
      await repeating;
      await connection.close();
    },
  };
}

const lockOf = (worker: string) => `hashtextextended('queue ' || ${worker}, 0)`;

/** Returns the other workers that hold jobs, but not their lock. */
async function readAbsent(client: PgClient, id: string): Promise<string[]> {
  // A named statement, so that PostgreSQL parses it only once per connection.
  const { rows } = await client.query<{ holder: string }>({
    name: 'queue.look',
    text: `select holder from (
        select distinct locked_by as holder from graphile_worker.jobs where locked_by is not null) holders
      where holder <> $1 and pg_try_advisory_xact_lock(${lockOf('holder')})`,
    values: [id],
  });
  return rows.map(({ holder }) => holder);
}

/** Releases the jobs of a dead worker. Runs of cron jobs that were queued again in the meantime are deleted. */
async function freeJobs(pool: pg.Pool, worker: string, log: Log): Promise<void> {
  const { rows } = await pool.query<{ id: string; task: string; last: boolean }>(
    `select id::text, task_identifier as task, attempts >= max_attempts and not (${IS_SUPERSEDED}) as last
       from graphile_worker.jobs where locked_by = $1`,
    [worker],
  );
  await pool.query('select graphile_worker.force_unlock_workers(array[$1])', [worker]);
  await pool.query(
    `select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where id = any($1::int8[]) and ${IS_SUPERSEDED}))`,
    [rows.map(({ id }) => id)],
  );
  for (const { id, task, last } of rows) {
    if (last)
      log.error(
        { job: task, jobId: id },
        'a worker died during the last attempt of a job; the job is not retried',
      );
    else log.warn({ job: task, jobId: id }, 'a worker died during a job; the job is retried');
  }
}
