import { EventEmitter } from 'node:events';
import type { JobHelpers, Job as QueuedJob, RunnerOptions, WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import pg from 'pg';
import { createGuardedPool, type Tx } from '../database/db.ts';
import type { Primary } from '../database/replica/primary.ts';
import { messageOf } from '../errors.ts';
import { pause, within } from '../jobs/timers.ts';
import { createFailureLog, type IsAway } from '../observability/failure-log.ts';
import type { Log } from '../observability/log.ts';
import { span, traceparent } from '../observability/trace.ts';
import { type CronJob, cronItemOf, IS_SUPERSEDED, prepareCron } from './cron.ts';
import { SCHEMA, toQueueLog } from './schema.ts';
import { watchWorkers } from './workers.ts';

/** Handlers by task name. A handler validates its payload. A job whose handler throws is retried. */
export type Tasks = Readonly<Record<string, (payload: unknown) => Promise<void>>>;
export type Queue = { close(): Promise<void> };

/** Thrown by a task whose job would fail on every retry. The job then becomes a dead letter immediately. */
export class JobHopeless extends Error {}

/** The pauses between attempts are e, e², e³ … seconds, so the tenth attempt runs three and a half hours after the first. */
export const ATTEMPTS = 10;
const CLOSE_MS = 5000;
const SWEEP_MS = 5000;
const RESTART_MS = 1000;
/** The polling interval for jobs that become due later (retries, `runAt`), which send no notification. Each process has one poller. */
const LOOK_MS = 5000;
/** Time after which a busy worker returns the jobs that it has fetched in advance, so that another worker can run them. */
const HOLD_MS = 1000;
const QUEUE_STATEMENT_MS = 10_000;

/**
 * Adds a job to the queue in the caller's transaction. The job exists if and only if the transaction commits, and a worker then starts it
 * within milliseconds. A waiting job with the same `key` is replaced. With `keepsTime` the new job keeps the due time of the replaced one.
 * Jobs run at least once: a job runs again if its worker dies.
 */
export async function addJob(
  tx: Tx,
  name: string,
  payload: object,
  { key, maxAttempts = ATTEMPTS, runAt, keepsTime = false }: JobOptions = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(
    identifier => ${name}::text,
    payload => ${JSON.stringify(withTrace(payload))}::json,
    run_at => ${runAt ?? null}::timestamptz,
    max_attempts => ${maxAttempts}::int,
    job_key => ${key ?? null}::text,
    job_key_mode => ${keepsTime ? 'preserve_run_at' : 'replace'}::text)`.execute(tx);
}

type JobOptions = { key?: string; maxAttempts?: number; runAt?: Date; keepsTime?: boolean };

/**
 * Runs the jobs of `tasks`, `concurrency` at a time, in parallel with other processes, and queues the runs of the jobs in `cron`. A failed
 * job is retried with growing pauses. After its last attempt it is logged as an error and remains in `graphile_worker.jobs`.
 * `close` starts no more jobs and waits five seconds for running ones. Another worker reruns jobs that last longer.
 */
export function startQueue(options: {
  connectionString: string;
  primary?: Primary;
  /** Returns whether the database is unavailable. An outage that stops the queue is not logged as an error. */
  isAway?: IsAway;
  tasks: Tasks;
  /** Repeated jobs, each with a task of the same name that logs its failures. Only one process queues each run. */
  cron?: readonly CronJob[];
  concurrency: number;
  log: Log;
  /** Interval of the check for jobs of dead workers. */
  sweepMs?: number;
}): Queue {
  const closing = new AbortController();
  const pool = createQueuePool(options);
  const fail = createFailureLog(options.log, options.isAway);
  const repeat = async () => {
    while (!closing.signal.aborted) {
      await runUntil(closing.signal, pool, options).catch((error: unknown) =>
        fail(error, {}, 'the queue stopped; restarting it'),
      );
      await pause(RESTART_MS, closing.signal);
    }
    await pool.end();
  };
  const repeating = repeat();
  return {
    async close() {
      closing.abort();
      const isDone = await within(
        CLOSE_MS,
        repeating.then(() => true),
      );
      if (!isDone) options.log.warn({}, 'some jobs did not finish; the next worker runs them');
    },
  };
}

type Options = Parameters<typeof startQueue>[0];

/** Runs the library's runner once. The runner ends when it is stopped, or when it cannot store a job's result. */
async function runUntil(closing: AbortSignal, pool: pg.Pool, options: Options): Promise<void> {
  const { log, tasks, cron = [], concurrency, connectionString, primary, sweepMs = SWEEP_MS } = options;
  const events: WorkerEvents = new EventEmitter();
  logFailures(events, log, new Set(cron.map(({ name }) => name)));
  const born = new Promise<string>((resolve) =>
    events.on('pool:create', ({ workerPool }) => resolve(workerPool.id)),
  );
  // Imported here, because only a worker runs jobs, while every process adds them.
  const { parseCronItems, run } = await import('graphile-worker');
  await prepareCron(pool, cron);
  const runner = await run({
    pgPool: pool,
    taskList: Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, asTask(task)])),
    parsedCronItems: parseCronItems(cron.map(cronItemOf)),
    events,
    logger: await toQueueLog(log),
    noHandleSignals: true,
    preset: {
      worker: {
        schema: SCHEMA,
        concurrentJobs: concurrency,
        pollInterval: LOOK_MS,
        localQueue: { size: concurrency, ttl: HOLD_MS },
        // With a batch delay of 0, the library waits until a job's result is stored and reports a failure to store it.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  const presence = watchWorkers(await born, { connectionString, primary, pool, log, everyMs: sweepMs });
  const stop = () => void runner.stop().catch(() => undefined);
  if (closing.aborted) stop();
  closing.addEventListener('abort', stop, { once: true });
  try {
    await runner.promise;
  } finally {
    closing.removeEventListener('abort', stop);
    await presence.close();
  }
}

type LibraryTask = NonNullable<NonNullable<RunnerOptions['taskList']>[string]>;

function asTask(task: Tasks[string]): LibraryTask {
  return async (queued, { job, query }) => {
    const { payload, parent = 'none' } = withoutTrace(queued);
    const attributes = { 'croupier.job_id': job.id, 'croupier.attempt': job.attempts };
    try {
      await span(`task ${job.task_identifier}`, { kind: 'consumer', parent, attributes }, () =>
        task(payload),
      );
    } catch (error) {
      if (error instanceof JobHopeless) {
        // The library has no function that stops retries from within a task. After a failure it compares these two values, so making them
        // equal ends the retries.
        await query('update graphile_worker._private_jobs set max_attempts = attempts where id = $1', [
          job.id,
        ]);
        job.max_attempts = job.attempts;
      }
      // After a success the library deletes the job.
      if (!(await isSuperseded(query, job.id))) throw error;
    }
  };
}

async function isSuperseded(query: JobHelpers['query'], id: string): Promise<boolean> {
  const { rows } = await query(`select from graphile_worker.jobs where id = $1 and ${IS_SUPERSEDED}`, [id]);
  return rows.length > 0;
}

/** An additional payload field with the trace context of the code that added the job, so that the trace continues. */
const TRACE = '_traceparent';

function withTrace(payload: object): object {
  const parent = traceparent();
  return parent === undefined ? payload : { ...payload, [TRACE]: parent };
}

function withoutTrace(queued: unknown): { payload: unknown; parent?: string } {
  if (typeof queued !== 'object' || queued === null || !(TRACE in queued)) return { payload: queued };
  const { [TRACE]: parent, ...payload } = queued;
  return { payload, parent: String(parent) };
}

function logFailures(events: WorkerEvents, log: Log, cron: ReadonlySet<string>): void {
  const facts = (job: QueuedJob, error: unknown) => ({
    job: job.task_identifier,
    jobId: job.id,
    attempt: job.attempts,
    error: messageOf(error),
  });
  events.on('job:error', ({ job, error }) => {
    if (job.attempts < job.max_attempts && !cron.has(job.task_identifier))
      log.warn(facts(job, error), 'a job failed; retrying');
  });
  events.on('job:failed', ({ job, error }) =>
    log.error(facts(job, error), 'a job failed its last attempt and remains in graphile_worker.jobs'),
  );
}

/**
 * Creates a separate pool for the library. The library expects ids as strings, while the platform's pools return numbers. It also keeps one
 * connection for LISTEN.
 */
function createQueuePool({ connectionString, primary, concurrency, log }: Options): pg.Pool {
  const { INT8 } = pg.types.builtins;
  const config: pg.PoolConfig = {
    connectionString,
    application_name: 'croupier queue',
    max: concurrency + 2,
    query_timeout: QUEUE_STATEMENT_MS + 300,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? String : pg.types.getTypeParser(oid, format as 'text'),
    },
  };
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: QUEUE_STATEMENT_MS };
  return createGuardedPool(config, { ...timeouts, primary }, log);
}
