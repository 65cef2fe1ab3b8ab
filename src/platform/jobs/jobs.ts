import type { RawBuilder } from 'kysely';
import { untilBeat } from '../clock.ts';
import type { Db } from '../database/db.ts';
import type { Primary } from '../database/replica/primary.ts';
import { createFailureLog, type FailureLog, type IsAway } from '../observability/failure-log.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { span } from '../observability/trace.ts';
import { createJobLocks, type JobLocks } from './locks.ts';
import { beginRun, declareSchedules, endRun, listDue } from './schedules.ts';
import { pause } from './timers.ts';

/**
 * Rows that a job deletes after their expiry. `due` is a query that uses an index to find the time at which the oldest row expires. The
 * query returns one row with one column, or no row. The time may be in the future.
 */
export type Overdue = { table: string; due: () => RawBuilder<unknown> };

/** Repeated work. `name` is also the name of the job's lock, so only one process at a time runs the job. */
export type Job = {
  name: string;
  everyMs: number;
  /** For a loop: the longest pause between two checks while nothing is due. Defaults to `everyMs`. */
  quietMs?: number;
  /** A loop ends its run early when this signal is aborted. */
  run: (closing?: AbortSignal) => Promise<void>;
  /**
   * For a loop: returns whether there may be work. It is called at the loop's interval without the lock, so an idle loop causes no other
   * cost.
   */
  isDue?: () => boolean | Promise<boolean>;
  /** For a job that deletes rows: `croupier_purge_overdue_seconds` shows whether the job deletes rows as fast as they expire. */
  overdue?: readonly Overdue[];
};
export type Jobs = { close(): Promise<void> };
export type JobMetrics = Pick<Metrics, 'jobDuration' | 'jobFailures' | 'jobLastSuccess'>;

/** Jobs with a shorter interval than this are loops. Every process checks a loop, and the process with the lock does the work. */
const LOOPS_BELOW_MS = 5000;
/** Shortest interval of the query for due jobs. While no job is due, the interval grows up to LESS_OFTEN times this value. */
const LOOK_MS = 1000;
const LESS_OFTEN = 5;

type Options = {
  db: Db;
  connectionString: string;
  primary?: Primary;
  /** Returns whether the database is unavailable. Job failures caused by an outage are not logged as errors. */
  isAway?: IsAway;
  log: Log;
  metrics?: JobMetrics;
  loopsBelowMs?: number;
  /** Interval of the query for due jobs. */
  lookMs?: number;
};
type Running = Omit<Job, 'run' | 'isDue'> & { run: () => Promise<void>; isDue: () => Promise<boolean> };
type Context = { db: Db; fail: FailureLog; locks: JobLocks; signal: AbortSignal; lookMs: number };

/**
 * Runs every job immediately and then at its interval, never two runs of one job concurrently. This process waits for the end of a run.
 * Other processes skip that run. A job with an interval of five seconds or more runs once per interval across all processes, according to
 * the database's clock. If a process dies during a run, another process repeats it. Failures are logged, and the job runs again as
 * scheduled. The locks of all jobs use one connection, separate from the pool that the jobs work with. `close` waits for running jobs.
 */
export function startJobs(jobs: readonly Job[], options: Options): Jobs {
  const {
    db,
    connectionString,
    primary,
    isAway,
    log,
    metrics,
    loopsBelowMs = LOOPS_BELOW_MS,
    lookMs = LOOK_MS,
  } = options;
  const closing = new AbortController();
  const locks = createJobLocks({ connectionString, primary }, log);
  const fail = createFailureLog(log, isAway);
  const context: Context = { db, fail, locks, signal: closing.signal, lookMs };
  const measured = jobs.map((job) => ({
    ...job,
    isDue: () => isDue(job, metrics),
    run: () =>
      span(`job ${job.name}`, { parent: 'none' }, () =>
        measure(metrics, job.name, () => job.run(closing.signal)),
      ),
  }));
  const loops = measured.filter(({ everyMs }) => everyMs < loopsBelowMs);
  const schedules = measured.filter(({ everyMs }) => everyMs >= loopsBelowMs);
  const running = [...loops.map((job) => repeat(job, context)), keep(schedules, context)];
  return {
    async close() {
      closing.abort();
      await Promise.all(running);
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

/** Queries for due jobs and runs them concurrently. */
async function keep(jobs: readonly Running[], context: Context): Promise<void> {
  const { db, fail, signal, lookMs } = context;
  const running = new Map<string, Promise<void>>();
  let isDeclared = jobs.length === 0;
  while (!signal.aborted && jobs.length > 0) {
    let restMs = lookMs;
    try {
      if (!isDeclared) await declareSchedules(db, jobs);
      isDeclared = true;
      const { due, nextMs } = await listDue(db);
      // This process checks again after at most LESS_OFTEN intervals, because another process may make a job due earlier.
      restMs = Math.min(Math.max(lookMs, nextMs), lookMs * LESS_OFTEN);
      for (const job of jobs.filter(({ name }) => due.has(name) && !running.has(name)))
        running.set(
          job.name,
          runOnce(job, context).finally(() => running.delete(job.name)),
        );
    } catch (error) {
      await fail(error, {}, 'could not read the due jobs');
    }
    await pause(restMs, signal);
  }
  await Promise.all(running.values());
}

async function runOnce(job: Running, { db, locks, fail }: Context): Promise<void> {
  const turn = async () => {
    const began = await beginRun(db, job.name);
    if (!began) return;
    let isOk = false;
    try {
      await job.run();
      isOk = true;
    } finally {
      await endRun(db, job.name, began, isOk);
    }
  };
  try {
    await locks.during(`job:${job.name}`, turn);
  } catch (error) {
    await fail(error, { job: job.name }, 'a job failed; it runs again as scheduled');
  }
}
