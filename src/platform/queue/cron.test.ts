import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/kit/database.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { until } from '../../../test/kit/until.ts';
import { createDb, createPool, type Db, transaction } from '../database/db.ts';
import { type Job, startJobs } from '../jobs/jobs.ts';
import { createLog, silentLog } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import { cronItemOf, runSoon } from './cron.ts';
import { queueLoad } from './dead.ts';
import { addJob, startQueue } from './queue.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let db: Db;
const started: (() => Promise<void>)[] = [];
const close = () => Promise.all(started.splice(0).map((end) => end()));

const database = fixture(createTestDatabase);
beforeAll(() => {
  const timeouts = { connectTimeoutMs: 1000, statementTimeoutMs: 5000 };
  const options = { connectionString: database.url, poolSize: 4, name: 'test', ...timeouts };
  db = createDb(createPool(options, silentLog));
});
afterEach(async () => {
  await close();
  await sql`delete from graphile_worker._private_jobs`.execute(db);
  await sql`delete from graphile_worker._private_known_crontabs`.execute(db);
});
afterAll(() => db.destroy());

/** Starts a worker that runs these jobs. */
function worker(all: Job[], metrics = createMetrics('test'), log = silentLog) {
  const connection = { connectionString: database.url, log };
  const jobs = startJobs(all, { ...connection, metrics });
  const queue = startQueue({
    ...connection,
    tasks: jobs.tasks,
    cron: jobs.cron,
    concurrency: 4,
    sweepMs: 100,
  });
  started.push(async () => void (await Promise.all([jobs.close(), queue.close()])));
}

const job = (name: string, run: Job['run'], everyMs = HOUR_MS): Job => ({ name, everyMs, run });
const moveLastRun = (by: string) =>
  sql`update graphile_worker._private_known_crontabs set last_execution = now() + ${by}::interval`.execute(
    db,
  );
const logLines = () => {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const log = createLog({ level: 'info', service: 'test', destination });
  return { log, lines: () => written.map((line) => JSON.parse(line)) };
};
const waiting = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from graphile_worker.jobs`.execute(db);
  return rows[0]!.n;
};

test.each([
  [60_000, 1440],
  [90_000, 1440],
  [300_000, 288],
  [HOUR_MS, 24],
  [12 * HOUR_MS, 2],
  [DAY_MS, 1],
  [28 * DAY_MS, 1],
])('an interval of %d ms results in %d runs a day', (everyMs, runs) => {
  for (const name of ['a', 'events.purge', 'webhooks.purge', 'x'.repeat(100)]) {
    const { match, options } = cronItemOf({ name, everyMs });
    // Covers exactly the last run, so that one run is made up for.
    expect(options?.backfillPeriod).toBe(Math.min(everyMs - (everyMs % 60_000), DAY_MS));
    if (typeof match === 'string') throw new Error('is not a function');
    const minutes = Array.from({ length: 1440 }, (_, i) => ({ hour: Math.floor(i / 60), min: i % 60 }));
    const day = { date: 1, month: 1, dow: 1 };
    expect(minutes.filter((minute) => match({ ...day, ...minute }))).toHaveLength(runs);
  }
});

test('runs a new job immediately, and does not repeat it on a worker that starts later', async () => {
  let runs = 0;
  const jobs = [job('new', async () => void runs++)];
  worker(jobs);
  await until(() => runs === 1);
  worker(jobs);
  await close();
  worker(jobs);
  await sleep(500);
  expect(runs).toBe(1);
});

test.each(['-61 minutes', '400 days'])(
  'runs a missed job when the stored last run is %s from now',
  async (by) => {
    let runs = 0;
    const jobs = [job('missed', async () => void runs++)];
    worker(jobs);
    await until(() => runs === 1);
    await close();
    await moveLastRun(by);
    worker(jobs);
    await until(() => runs === 2);
    await until(async () => (await waiting()) === 0);
    await sleep(300);
    expect(runs).toBe(2);
  },
);

test('runs a job once with three workers', async () => {
  let runs = 0;
  for (let i = 0; i < 3; i++) worker([job('once', async () => void runs++)]);
  await until(() => runs > 0);
  const before = runs;
  // Each worker that starts before a worker has registered the job may queue it again.
  expect(before).toBeLessThanOrEqual(3);
  await runSoon(db, 'once');
  await until(() => runs > before);
  await sleep(300);
  expect(runs).toBe(before + 1);
});

test('runs a job again after the current run when it is requested during the run, and never at the same time', async () => {
  let [running, most, runs] = [0, 0, 0];
  const slow = job('slow', async () => {
    most = Math.max(most, ++running);
    await sleep(200);
    running--;
    runs++;
  });
  for (let i = 0; i < 2; i++) worker([slow]);
  await until(() => running === 1);
  for (let i = 0; i < 5; i++) await runSoon(db, 'slow');
  const before = runs;
  await until(() => runs > before && running === 0);
  await until(async () => (await waiting()) === 0);
  expect([most, running]).toEqual([1, 0]);
  expect(runs).toBeLessThanOrEqual(4);
});

test('deletes a failed run when it was requested again during the run', async () => {
  const fail = Promise.withResolvers<void>();
  let runs = 0;
  worker([
    job('again', async () => {
      if (++runs === 1) await fail.promise;
    }),
  ]);
  await until(() => runs === 1);
  await runSoon(db, 'again');
  fail.reject(new Error('no'));
  await until(() => runs === 2);
  await until(async () => (await waiting()) === 0);
});

test('deletes a run when it was requested again and its worker was killed', async () => {
  let runs = 0;
  await runSoon(db, 'killed');
  const holder = sql`locked_at = now(), locked_by = 'pool-gone'`;
  await sql`update graphile_worker._private_jobs set ${holder}`.execute(db);
  await sql`update graphile_worker._private_job_queues set ${holder} where queue_name = 'killed'`.execute(db);
  await runSoon(db, 'killed');
  const { lines, log } = logLines();
  worker([job('killed', async () => void runs++)], undefined, log);
  await until(() => runs === 1);
  await until(async () => (await waiting()) === 0);
  expect(lines().filter(({ level }) => level === 'error')).toEqual([]);
});

test('retries a run without an error when another process holds the lock', async () => {
  const { lines, log } = logLines();
  let runs = 0;
  await db.connection().execute(async (other) => {
    await sql`select pg_advisory_lock(hashtextextended('job:locked', 0))`.execute(other);
    worker([job('locked', async () => void runs++)], undefined, log);
    await until(async () => {
      const { rows } =
        await sql`select from graphile_worker.jobs where attempts = 1 and locked_at is null`.execute(db);
      return rows.length > 0;
    });
    expect(runs).toBe(0);
    await sql`select pg_advisory_unlock(hashtextextended('job:locked', 0))`.execute(other);
  });
  await until(() => runs === 1);
  expect(lines()).toEqual([]);
});

test('ignores the age of a waiting run, and deletes it after an hour if no worker has its job', async () => {
  for (const name of ['gone', 'kept']) await runSoon(db, name);
  await sql`update graphile_worker._private_jobs set run_at = now() - interval '2 hours'`.execute(db);
  expect(await queueLoad(db)).toMatchObject({ waiting: 2, oldestSeconds: 0 });
  let runs = 0;
  worker([job('kept', async () => void runs++)]);
  await until(() => runs === 1);
  await until(async () => (await waiting()) === 0);
});

test('runs tasks before cron jobs when both are waiting', async () => {
  const ran: string[] = [];
  await runSoon(db, 'cron');
  await transaction(db, (tx) => addJob(tx, 'task', {}));
  const tasks = { cron: async () => void ran.push('cron'), task: async () => void ran.push('task') };
  const queue = startQueue({ connectionString: database.url, log: silentLog, tasks, concurrency: 1 });
  started.push(queue.close);
  await until(() => ran.length === 2);
  expect(ran).toEqual(['task', 'cron']);
});

test('retries a failed cron job within seconds, logs the failure as an error, and measures both runs', async () => {
  const metrics = createMetrics('test');
  const { lines, log } = logLines();
  let runs = 0;
  const failing = job('failing', async () => {
    if (++runs === 1) throw new Error('no');
  });
  worker([failing], metrics, log);
  await until(() => runs === 2);
  await until(async () => (await waiting()) === 0);
  const logged = lines().filter(({ job }) => job === 'failing');
  expect(logged).toMatchObject([{ level: 'error', error: 'no', msg: 'a job failed; it is retried' }]);
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/croupier_job_failures_total\{.*job_name="failing".*\} 1\n/);
  expect(text).toMatch(/croupier_job_duration_seconds_count\{.*job_name="failing".*\} 2\n/);
  expect(text).toMatch(/croupier_job_last_success_timestamp_seconds\{.*job_name="failing".*\} \d/);
});

test('aborts the signal of a running job when the worker closes', async () => {
  const ended: string[] = [];
  let isRunning = false;
  worker([
    job('closing', async (closing) => {
      isRunning = true;
      await sleep(60_000, undefined, { signal: closing! }).catch(() => ended.push('aborted'));
    }),
  ]);
  await until(() => isRunning);
  await close();
  expect(ended).toEqual(['aborted']);
});
