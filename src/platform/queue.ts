import { EventEmitter } from 'node:events';
import type { Job as QueuedJob, RunnerOptions, WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import pg from 'pg';
import { POOL_IDLE_MS, type Tx, watchPool } from './db.ts';
import { messageOf } from './errors.ts';
import { createFailureLog, type IsAway } from './failure-log.ts';
import { guarded } from './guard.ts';
import type { Log } from './log.ts';
import type { Primary } from './primary.ts';
import { SCHEMA, toQueueLog } from './queue-schema.ts';
import { watchWorkers } from './queue-workers.ts';
import { pause, within } from './timers.ts';
import { span, traceparent } from './trace.ts';

/** What the jobs of a name do with their payload, which they check themselves. A throw is tried again. */
export type Tasks = Readonly<Record<string, (payload: unknown) => Promise<void>>>;
export type Queue = { close(): Promise<void> };

/** Thrown by a task whose job would fail again and again: it becomes a dead letter immediately. */
export class JobHopeless extends Error {}

/** Attempts e seconds apart, then e², e³ …: the tenth comes three and a half hours after the first. */
export const ATTEMPTS = 10;
const CLOSE_MS = 5000;
const SWEEP_MS = 5000;
const RESTART_MS = 1000;
/** Without a notice: what is due later (another attempt, `runAt`) gives none. Each of the concurrent workers looks. */
const LOOK_MS = 5000;
const QUEUE_STATEMENT_MS = 10_000;

/**
 * Puts a job into the queue with the caller's transaction: it exists if and only if that commits, and then a worker
 * takes it up within milliseconds. A job with the `key` of one that waits replaces it; with `keepsTime` the one that waits stays due when
 * it was. Jobs run at least once: again when their worker dies.
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
 * Runs the jobs of `tasks`, `concurrency` at a time, beside any other process that does. A job that fails is tried
 * again, later each time; after its last attempt it is logged as error and stays in `graphile_worker.jobs`. `close` takes no more
 * and waits five seconds for what runs; what takes longer is taken up by another worker.
 */
export function startQueue(options: {
  connectionString: string;
  primary?: Primary;
  /** Whether the database is away: a queue that stops of that is no news. */
  isAway?: IsAway;
  tasks: Tasks;
  concurrency: number;
  log: Log;
  /** How often jobs of dead workers are looked for. */
  sweepMs?: number;
}): Queue {
  const closing = new AbortController();
  const pool = createQueuePool(options);
  const fail = createFailureLog(options.log, options.isAway);
  const repeat = async () => {
    while (!closing.signal.aborted) {
      await runUntil(closing.signal, pool, options).catch((error: unknown) =>
        fail(error, {}, 'the queue stopped; it starts again'),
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
      if (!isDone) options.log.warn({}, 'jobs that still run are left to the next worker');
    },
  };
}

type Options = Parameters<typeof startQueue>[0];

/** One life of the library's runner: it ends when asked to, and when it could not store what became of a job. */
async function runUntil(closing: AbortSignal, pool: pg.Pool, options: Options): Promise<void> {
  const { log, tasks, concurrency, connectionString, primary, sweepMs = SWEEP_MS } = options;
  const events: WorkerEvents = new EventEmitter();
  logFailures(events, log);
  const born = new Promise<string>((resolve) =>
    events.on('pool:create', ({ workerPool }) => resolve(workerPool.id)),
  );
  // Not above: only a worker runs jobs, and every part puts some into the queue.
  const { run } = await import('graphile-worker');
  const runner = await run({
    pgPool: pool,
    taskList: Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, asTask(task)])),
    parsedCronItems: [],
    events,
    logger: await toQueueLog(log),
    noHandleSignals: true,
    preset: {
      worker: {
        schema: SCHEMA,
        concurrentJobs: concurrency,
        pollInterval: LOOK_MS,
        // Without a batch the library does not wait for the end of a job to be stored, nor catch that it cannot be.
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
        // The library has no way to say so from within a task: it compares these two when the task has failed.
        await query('update graphile_worker._private_jobs set max_attempts = attempts where id = $1', [
          job.id,
        ]);
        job.max_attempts = job.attempts;
      }
      throw error;
    }
  };
}

/** Beside the fields of a payload: what has put the job into the queue, for the trace to go on. */
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

function logFailures(events: WorkerEvents, log: Log): void {
  const facts = (job: QueuedJob, error: unknown) => ({
    job: job.task_identifier,
    jobId: job.id,
    attempt: job.attempts,
    error: messageOf(error),
  });
  events.on('job:error', ({ job, error }) => {
    if (job.attempts < job.max_attempts) log.warn(facts(job, error), 'a job failed; it is tried again');
  });
  events.on('job:failed', ({ job, error }) =>
    log.error(facts(job, error), 'a job failed for the last time; it stays in graphile_worker.jobs'),
  );
}

/** Beside our pools: the library expects ids as text, where our pools make numbers of them, and keeps a connection to listen. */
function createQueuePool({ connectionString, primary, concurrency, log }: Options): pg.Pool {
  const { INT8 } = pg.types.builtins;
  const pool = new pg.Pool({
    connectionString,
    application_name: 'croupier queue',
    max: concurrency + 2,
    idleTimeoutMillis: POOL_IDLE_MS,
    connectionTimeoutMillis: 5000,
    query_timeout: QUEUE_STATEMENT_MS + 300,
    ...guarded({ statementTimeoutMs: QUEUE_STATEMENT_MS, primary }),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? String : pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  return watchPool(pool, log);
}
