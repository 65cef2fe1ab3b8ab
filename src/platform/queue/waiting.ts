import { sql } from 'kysely';
import type { Db, DbOrTx, Tx } from '../database/db.ts';
import { addJob } from './queue.ts';

/** A waiting job of the queue. `id` is the key of the job if it has one. */
export type WaitingJob = {
  id: string;
  payload: unknown;
  hasFailed: boolean;
  addedAt: Date;
};

const IS_WAITING = sql`locked_at is null and attempts < max_attempts`;
const NEVER = new Date('9999-12-31T00:00:00Z');

/** Counts the waiting and the running jobs of a task. Returns undefined if no job of this task has ever been added. */
export async function countJobs(
  db: Db,
  task: string,
): Promise<{ waiting: number; running: number } | undefined> {
  const { rows } = await sql<{ waiting: number; running: number }>`
    select (select count(*) from graphile_worker.jobs where task_identifier = identifier and ${IS_WAITING})::int as waiting,
      (select count(*) from graphile_worker.jobs where task_identifier = identifier and locked_at is not null)::int as running
    from graphile_worker._private_tasks where identifier = ${task}`.execute(db);
  return rows[0];
}

/** Returns the first waiting jobs of a task, oldest first. */
export async function listWaiting(db: Db, task: string, most: number): Promise<WaitingJob[]> {
  const { rows } = await sql<WaitingJob>`
    select coalesce(j.key, j.id::text) as id, p.payload, j.attempts > 0 as "hasFailed", j.created_at as "addedAt"
    from graphile_worker.jobs j join graphile_worker._private_jobs p using (id)
    where j.task_identifier = ${task} and j.locked_at is null and j.attempts < j.max_attempts order by j.id limit ${most}`.execute(
    db,
  );
  return rows;
}

/** Deletes the waiting jobs of a task except the newest, and returns their number. */
export async function deleteWaiting(db: DbOrTx, task: string, keep = 0): Promise<number> {
  const { rows } = await sql`select graphile_worker.complete_jobs(array(
    select id from graphile_worker.jobs where task_identifier = ${task} and ${IS_WAITING} order by id desc offset ${keep}))`.execute(
    db,
  );
  return rows.length;
}

/** Stores a job as a record that no worker runs, and deletes all but the newest `most` jobs of the task. */
export async function storeJob(
  tx: Tx,
  task: string,
  { id, payload, most }: { id: string; payload: object; most: number },
): Promise<void> {
  await addJob(tx, task, payload, { key: id, runAt: NEVER });
  await deleteWaiting(tx, task, most);
}
