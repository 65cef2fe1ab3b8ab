import type { CronItem } from 'graphile-worker';
import { sql } from 'kysely';
import type pg from 'pg';
import type { DbOrTx } from '../database/db.ts';

/** Repeated work. An interval of a minute or more is rounded down to whole minutes, and is at most a day. */
export type CronJob = { name: string; everyMs: number };

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** More attempts than a failing run makes in a day. The next run replaces it before it becomes a dead letter. */
const ATTEMPTS = 100;
/** Tasks have priority 0 and run first, because a player may be waiting for them. */
const PRIORITY = 10;

/** Returns true if the queue runs the job. A job with a shorter interval is a loop. */
export const isCron = ({ everyMs }: CronJob): boolean => everyMs >= MINUTE_MS;

const minutesOf = ({ everyMs }: CronJob): number => Math.min(Math.floor(everyMs / MINUTE_MS), DAY_MINUTES);

/**
 * Returns the library's item for a job. The key ensures that at most one run waits, and the queue name that a run waits until the previous
 * one has ended. Each job has its own minute, so that the hourly jobs do not all start at the same time. A run that was missed, because no
 * worker was running or the database was unavailable, is queued late.
 */
export function cronItemOf(job: CronJob): CronItem {
  const { name } = job;
  const every = minutesOf(job);
  const offset = [...name].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 0) % every;
  return {
    task: name,
    identifier: name,
    match: ({ hour, min }) => (60 * hour + min) % every === offset,
    options: {
      jobKey: name,
      queueName: name,
      maxAttempts: ATTEMPTS,
      priority: PRIORITY,
      backfillPeriod: every * MINUTE_MS,
    },
  };
}

/** The library's table of cron jobs and their last runs. */
const KNOWN = 'graphile_worker._private_known_crontabs';
const ADD_RUN = `graphile_worker.add_job(identifier => name, payload => '{}', queue_name => name, job_key => name, max_attempts => ${ATTEMPTS}, priority => ${PRIORITY})`;

/** Queues a run of a cron job for now. If the job is running, it runs again afterwards. */
export async function runSoon(db: DbOrTx, name: string): Promise<void> {
  await sql`select ${sql.raw(ADD_RUN)} from (select ${name}::text as name) job`.execute(db);
}

/** Queues a run of every cron job that a worker has registered. The demo uses this, because cron does not follow the clock of the database. */
export async function runAllSoon(db: DbOrTx): Promise<void> {
  await sql`select ${sql.raw(ADD_RUN)} from (select identifier as name from ${sql.raw(KNOWN)}) job`.execute(
    db,
  );
}

/**
 * The condition of a run that was queued again while it was running. The library has then removed its key and exhausted its attempts, and
 * the new run waits. If the old run fails, it is deleted instead of becoming a dead letter.
 */
export const IS_SUPERSEDED = 'queue_name is not null and key is null and attempts >= max_attempts';

/** Runs that have waited this long are deleted when a worker without their job starts. Until then, another worker may have the job. */
const ORPHANED_AFTER = '1 hour';

/**
 * Queues a run of each job that no worker has registered before. Deletes waiting runs of jobs that no longer exist, for example because a
 * setting has changed. After the clock was set back, the stored times are in the future. They are reset, because the library waits for the
 * time to pass them.
 */
export async function prepareCron(pool: pg.Pool, jobs: readonly CronJob[]): Promise<void> {
  await pool.query(`update ${KNOWN} set known_since = 'epoch', last_execution = null
    where greatest(known_since, last_execution) > now() + interval '1 minute'`);
  const names = jobs.map(({ name }) => name);
  await pool.query(
    `select ${ADD_RUN} from unnest($1::text[]) name
      where not exists (select from ${KNOWN} known where known.identifier = name)`,
    [names],
  );
  await pool.query(
    `select graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs where queue_name is not null and locked_at is null and attempts < max_attempts
        and run_at < now() - interval '${ORPHANED_AFTER}' and not task_identifier = any($1::text[])))`,
    [names],
  );
}
