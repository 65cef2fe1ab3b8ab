import { untilBeat } from './clock.ts';
import type { Db } from './db.ts';
import { createFailureLog, type FailureLog, type IsAway } from './failure-log.ts';
import { createJobLocks, type JobLocks } from './job-locks.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Primary } from './primary.ts';
import { beginRun, declareSchedules, endRun, listDue } from './schedules.ts';
import { pause } from './timers.ts';
import { span } from './trace.ts';

/** Work that repeats. `name` is also its lock: of all processes one at a time runs it. */
export type Job = {
  name: string;
  everyMs: number;
  /** Of a loop: while it has no reason to run it asks less and less often, down to once in this time. `everyMs` unless given. */
  quietMs?: number;
  /** Of a loop: ends its turn early when the signal says so. */
  run: (closing?: AbortSignal) => Promise<void>;
  /** Of a loop: whether there may be anything to do. Asked on its interval and without the lock; a turn without reason costs no more. */
  isDue?: () => boolean | Promise<boolean>;
};
export type Jobs = { close(): Promise<void> };
export type JobMetrics = Pick<Metrics, 'jobDuration' | 'jobFailures' | 'jobLastSuccess'>;

/** Jobs with a shorter interval are loops: every process goes round, and the one with the lock works. */
const LOOPS_BELOW_MS = 5000;
/** How often due jobs are looked for, at most; and so many times less often while none is due. */
const LOOK_MS = 1000;
const LESS_OFTEN = 5;

type Options = {
  db: Db;
  connectionString: string;
  primary?: Primary;
  /** Whether the database is away: a job that fails of that is no news. */
  isAway?: IsAway;
  log: Log;
  metrics?: JobMetrics;
  loopsBelowMs?: number;
  /** How often due jobs are looked for. */
  lookMs?: number;
};
type Running = Omit<Job, 'run' | 'isDue'> & { run: () => Promise<void>; isDue: () => Promise<boolean> };
type Context = { db: Db; fail: FailureLog; locks: JobLocks; signal: AbortSignal; lookMs: number };

/**
 * Runs every job immediately and then on its interval, never two runs of one job at a time: not in this process,
 * which waits for the end of a run, nor in another, which skips its turn. A job of five seconds and more runs once per interval however
 * many processes there are, by the clock of the database; what a process that died has not finished, another does. A failure is logged
 * and the next turn comes. All jobs together hold one connection for their locks, beside the pool that they work with.
 * `close` waits for what runs.
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

/** Runs work and measures how long it took, whether it failed and when it last succeeded. */
export async function measure<T>(
  metrics: JobMetrics | undefined,
  job: string,
  work: () => Promise<T>,
): Promise<T> {
  const end = metrics?.jobDuration.startTimer({ job });
  try {
    const result = await work();
    metrics?.jobLastSuccess.set({ job }, Date.now() / 1000);
    return result;
  } catch (error) {
    metrics?.jobFailures.inc({ job });
    throw error;
  } finally {
    end?.();
  }
}

/** A turn without reason counts as a success: the metric shows that the job is looked after. */
async function isDue(job: Job, metrics: JobMetrics | undefined): Promise<boolean> {
  try {
    const isDue = job.isDue === undefined || (await job.isDue());
    if (!isDue) metrics?.jobLastSuccess.set({ job: job.name }, Date.now() / 1000);
    return isDue;
  } catch (error) {
    metrics?.jobFailures.inc({ job: job.name });
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
      await fail(error, { job: name }, 'a job failed; it runs again at its next turn');
    }
    const isLate = performance.now() - started >= everyMs;
    await pause(isLate ? 0 : untilBeat(restMs), signal);
  }
}

/** Looks for due jobs, and runs each of them beside the others. */
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
      // Another process may put the next run of a job sooner: none rests until then without a look.
      restMs = Math.min(Math.max(lookMs, nextMs), lookMs * LESS_OFTEN);
      for (const job of jobs.filter(({ name }) => due.has(name) && !running.has(name)))
        running.set(
          job.name,
          runOnce(job, context).finally(() => running.delete(job.name)),
        );
    } catch (error) {
      await fail(error, {}, 'due jobs cannot be read');
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
    await fail(error, { job: job.name }, 'a job failed; it runs again at its next turn');
  }
}
