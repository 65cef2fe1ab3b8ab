import { sql } from 'kysely';
import type { DbOrTx, Tx } from '../database/db.ts';
import type { Overdue } from '../jobs/jobs.ts';
import { ATTEMPTS } from './queue.ts';

/** A job whose last attempt failed. */
export type DeadJob = {
  id: string;
  task: string;
  payload: unknown;
  attempts: number;
  reason: string;
  diedAt: Date;
};
export type QueueLoad = { waiting: number; dead: number; oldestSeconds: number };

const IS_DEAD = sql`attempts >= max_attempts and locked_at is null`;

/**
 * Returns the number of due jobs that are not running, the age of the oldest task in seconds, and the number of dead jobs. The age ignores
 * runs of cron jobs, because a run waits forever if no worker has the job any more.
 */
export async function queueLoad(db: DbOrTx): Promise<QueueLoad> {
  const { rows } = await sql<QueueLoad>`
    select count(*) filter (where attempts < max_attempts and locked_at is null and run_at <= now())::int as waiting,
      count(*) filter (where ${IS_DEAD})::int as dead,
      coalesce(extract(epoch from now() - min(run_at) filter (
        where queue_name is null and attempts < max_attempts and locked_at is null and run_at <= now())), 0)::float8 as "oldestSeconds"
    from graphile_worker.jobs`.execute(db);
  return rows[0]!;
}

/** Lists dead jobs, oldest first. */
export async function listDeadJobs(db: DbOrTx, most: number): Promise<DeadJob[]> {
  const { rows } = await sql<DeadJob>`
    select j.id::text, task_identifier as task, p.payload, j.attempts::int, coalesce(j.last_error, '') as reason,
      j.updated_at as "diedAt"
    from graphile_worker.jobs j join graphile_worker._private_jobs p on p.id = j.id
    where j.attempts >= j.max_attempts and j.locked_at is null
    order by j.updated_at, j.id limit ${most}`.execute(db);
  return rows;
}

/** Queues a dead job again and resets its number of attempts. Returns false if it does not exist. */
export async function redriveJob(db: DbOrTx, id: string): Promise<boolean> {
  const { rows } = await sql`select graphile_worker.reschedule_jobs(
      array(select id from graphile_worker.jobs where id = ${id}::int8 and ${IS_DEAD}),
      run_at => now(), attempts => 0, max_attempts => ${ATTEMPTS}::int)`.execute(db);
  return rows.length > 0;
}

/** Stores a job as a dead job immediately. Used for a job that has failed permanently elsewhere. */
export async function buryJob(
  tx: Tx,
  task: string,
  payload: object,
  { attempts, reason }: { attempts: number; reason: string },
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id::text from graphile_worker.add_job(${task}::text, ${JSON.stringify(payload)}::json)`.execute(
    tx,
  );
  // The library has no function that adds a dead job. No worker sees the job before the transaction commits.
  await sql`update graphile_worker._private_jobs set attempts = ${attempts}, max_attempts = ${attempts}, last_error = ${reason}
    where id = ${rows[0]!.id}::int8`.execute(tx);
}

/** Deletes a dead job. Returns false if it does not exist. */
export async function dropJob(db: DbOrTx, id: string): Promise<boolean> {
  const { rows } = await sql`select graphile_worker.complete_jobs(
      array(select id from graphile_worker.jobs where id = ${id}::int8 and ${IS_DEAD}))`.execute(db);
  return rows.length > 0;
}

/** Like queueLoad, this query scans all dead jobs, because the library's table has no index on this time. */
export const overdueDeadJobs: Overdue = {
  table: 'graphile_worker.jobs',
  due: () =>
    sql`select updated_at + interval '30 days' from graphile_worker.jobs where ${IS_DEAD} order by updated_at limit 1`,
};

/** Deletes dead jobs that have not changed for thirty days. */
export async function purgeDeadJobs(db: DbOrTx): Promise<void> {
  await sql`select count(*) from graphile_worker.complete_jobs(array(
    select id from graphile_worker.jobs
    where ${IS_DEAD} and updated_at < now() - interval '30 days'))`.execute(db);
}
