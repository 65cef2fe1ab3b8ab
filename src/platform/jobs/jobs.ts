import type { RawBuilder } from 'kysely';
import { untilBeat } from '../clock.ts';
import type { Primary } from '../database/replica/primary.ts';
import { createFailureLog, type FailureLog, type IsAway } from '../observability/failure-log.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { span } from '../observability/trace.ts';
import { type CronJob, isCron } from '../queue/cron.ts';
import type { Tasks } from '../queue/queue.ts';
import { createJobLocks, type JobLocks } from './locks.ts';
import { pause } from './timers.ts';

/**
 * Rows that a job deletes after their expiry. `due` is a query that uses an index to find the time at which the oldest row expires. The
 * query returns one row with one column, or no row. The time may be in the future.
 */
export type Overdue = { table: string; due: () => RawBuilder<unknown> };

/**
 * Repeated work. `name` is also the name of the job's lock, so only one process at a time runs the job. With an interval of a minute or more
 * it is a cron job of the queue. With a shorter one it is a loop.
 */
export type Job = CronJob & {
  /** For a loop: the longest pause between two checks while nothing is due. Defaults to `everyMs`. */
  quietMs?: number;
  /** A run ends early when this signal is aborted. */
  run: (closing?: AbortSignal) => Promise<void>;
  /**
   * For a loop: returns whether there may be work. It is called at the loop's interval without the lock, so an idle loop causes no other
   * cost.
   */
  isDue?: () => boolean | Promise<boolean>;
  /** For a job that deletes rows: `croupier_purge_overdue_seconds` shows whether the job deletes rows as fast as they expire. */
  overdue?: readonly Overdue[];
};
export type Jobs = {
  /** The cron jobs, and a task for each of them. The queue runs the tasks. */
  cron: readonly CronJob[];
  tasks: Tasks;
  close(): Promise<void>;
};
export type JobMetrics = Pick<Metrics, 'jobDuration' | 'jobFailures' | 'jobLastSuccess'>;

type Options = {
  connectionString: string;
  primary?: Primary;
  /** Returns whether the database is unavailable. Job failures caused by an outage are not logged as errors. */
  isAway?: IsAway;
  log: Log;
  metrics?: JobMetrics;
};
type Running = Omit<Job, 'run' | 'isDue'> & { run: () => Promise<void>; isDue: () => Promise<boolean> };
type Context = { fail: FailureLog; locks: JobLocks; signal: AbortSignal };

/**
 * Starts the loops, and returns tasks for the cron jobs. Every process checks a loop, and the process with the lock does the work. Two runs
 * of one job never overlap in one process. Those of several processes do not overlap while the connection that holds the locks is intact.
 * Failures are logged. A loop runs again as scheduled, and the queue retries a cron job. The locks of all jobs use one connection, separate
 * from the pool that the jobs work with. `close` waits for running jobs.
 */
export function startJobs(jobs: readonly Job[], options: Options): Jobs {
  const { connectionString, primary, isAway, log, metrics } = options;
  const closing = new AbortController();
  const locks = createJobLocks({ connectionString, primary }, log);
  const context: Context = { fail: createFailureLog(log, isAway), locks, signal: closing.signal };
  const measured = jobs.map((job) => ({
    ...job,
    isDue: () => isDue(job, metrics),
    run: () =>
      span(`job ${job.name}`, { parent: 'none' }, () =>
        measure(metrics, job.name, () => job.run(closing.signal)),
      ),
  }));
  const cron = measured.filter(isCron);
  const loops = measured.filter((job) => !isCron(job)).map((job) => repeat(job, context));
  const runs = new Set<Promise<void>>();
  return {
    cron,
    tasks: Object.fromEntries(
      cron.map((job) => [
        job.name,
        () => {
          const run = runOnce(job, context).finally(() => runs.delete(run));
          runs.add(run);
          return run;
        },
      ]),
    ),
    async close() {
      closing.abort();
      await Promise.allSettled([...loops, ...runs]);
      await locks.close();
    },
  };
}

/** Runs work and records its duration, its failures and the time of its last success. */
export async function measure<T>(
  metrics: JobMetrics | undefined,
  job: string,
  work: () => Promise<T>,
): Promise<T> {
  const end = metrics?.jobDuration.startTimer({ job_name: job });
  try {
    const result = await work();
    metrics?.jobLastSuccess.set({ job_name: job }, Date.now() / 1000);
    return result;
  } catch (error) {
    metrics?.jobFailures.inc({ job_name: job });
    throw error;
  } finally {
    end?.();
  }
}

/**
 * Returns whether a job is due. A check that finds no work is recorded as a success, so that the metric shows that the job is still
 * checked.
 */
async function isDue(job: Job, metrics: JobMetrics | undefined): Promise<boolean> {
  try {
    const isDue = job.isDue === undefined || (await job.isDue());
    if (!isDue) metrics?.jobLastSuccess.set({ job_name: job.name }, Date.now() / 1000);
    return isDue;
  } catch (error) {
    metrics?.jobFailures.inc({ job_name: job.name });
    throw error;
  }
}

async function repeat(job: Running, { locks, fail, signal }: Context): Promise<void> {
  const { name, everyMs, quietMs = everyMs } = job;
  let restMs = everyMs;
  while (!signal.aborted) {
    const started = performance.now();
    try {
      const isDue = await job.isDue();
      restMs = isDue ? everyMs : Math.min(2 * restMs, quietMs);
      if (isDue) await locks.during(`job:${name}`, job.run);
    } catch (error) {
      restMs = everyMs;
      await fail(error, { job: name }, 'a job failed; it runs again as scheduled');
    }
    const isLate = performance.now() - started >= everyMs;
    await pause(isLate ? 0 : untilBeat(restMs), signal);
  }
}

/** Runs a cron job. Throws if the job is already running, without logging an error, so that the queue retries this run. */
async function runOnce({ name, run }: Running, { fail, locks, signal }: Context): Promise<void> {
  if (signal.aborted) throw new Error('the worker is stopping');
  let hasRun: boolean;
  try {
    hasRun = await locks.during(`job:${name}`, run);
  } catch (error) {
    await fail(error, { job: name }, 'a job failed; it is retried');
    throw error;
  }
  if (!hasRun) throw new Error('the job is already running');
}
