import type pg from 'pg';
import type { Primary } from '../database/replica/primary.ts';
import { startPresence } from '../jobs/presence.ts';
import type { Log } from '../observability/log.ts';

type Parts = {
  connectionString: string;
  primary?: Primary | undefined;
  pool: pg.Pool;
  log: Log;
  everyMs: number;
};

/**
 * Shows that the workers of `id` are alive while this process is running, and releases the jobs of dead workers. The library alone would
 * keep those jobs locked for four hours.
 */
export const watchWorkers = (id: string, { connectionString, primary, pool, log, everyMs }: Parts) =>
  startPresence({
    kind: 'queue',
    holder: id,
    connection: { connectionString, primary, timeoutMs: 5000, name: 'croupier queue presence' },
    everyMs,
    held: 'select distinct locked_by as holder from graphile_worker.jobs where locked_by is not null',
    async onGone(workers) {
      for (const worker of workers) await freeJobs(pool, worker, log);
    },
    log,
  });

async function freeJobs(pool: pg.Pool, worker: string, log: Log): Promise<void> {
  const { rows } = await pool.query<{ id: string; task: string; last: boolean }>(
    `select id::text, task_identifier as task, attempts >= max_attempts as last
       from graphile_worker.jobs where locked_by = $1`,
    [worker],
  );
  await pool.query('select graphile_worker.force_unlock_workers(array[$1])', [worker]);
  for (const { id, task, last } of rows) {
    if (last)
      log.error(
        { job: task, jobId: id },
        'a worker died during the last attempt of a job; the job is not retried',
      );
    else log.warn({ job: task, jobId: id }, 'a worker died during a job; the job is retried');
  }
}
