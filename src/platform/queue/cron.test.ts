import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/kit/database.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { until } from '../../../test/kit/until.ts';
import { createDb, createPool, type Db } from '../database/db.ts';
import { type Job, startJobs } from '../jobs/jobs.ts';
import { createLog, silentLog } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import { cronItemOf, runSoon } from './cron.ts';
import { startQueue } from './queue.ts';

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
  const queue = startQueue({ ...connection, tasks: jobs.tasks, cron: jobs.cron, concurrency: 4 });
  started.push(async () => void (await Promise.all([jobs.close(), queue.close()])));
}

const job = (name: string, run: Job['run'], everyMs = HOUR_MS): Job => ({ name, everyMs, run });
const moveLastRun = (by: string) =>
  sql`update graphile_worker._private_known_crontabs set last_execution = now() + ${by}::interval`.execute(
    db,
  );
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
    const { match } = cronItemOf({ name, everyMs });
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

test('retries a failed cron job within seconds, logs the failure as an error, and measures both runs', async () => {
  const metrics = createMetrics('test');
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    service: 'test',
    destination: { write: (line) => void lines.push(line) },
  });
  let runs = 0;
  const failing = job('failing', async () => {
    if (++runs === 1) throw new Error('no');
  });
  worker([failing], metrics, log);
  await until(() => runs === 2);
  await until(async () => (await waiting()) === 0);
  const logged = lines.map((line) => JSON.parse(line)).filter(({ job }) => job === 'failing');
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
