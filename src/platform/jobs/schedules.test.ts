import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../../test/kit/database.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { cutOff } from '../../../test/kit/processes/outage.ts';
import { until } from '../../../test/kit/until.ts';
import { createDb, createPool, type Db, type Pool } from '../database/db.ts';
import { silentLog } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import { type Job, type Jobs, startJobs } from './jobs.ts';

let pool: Pool;
let db: Db;
const started: Jobs[] = [];

const database = fixture(createTestDatabase);
beforeAll(async () => {
  const timeouts = { connectTimeoutMs: 1000, statementTimeoutMs: 5000 };
  pool = createPool({ connectionString: database.url, poolSize: 8, name: 'test', ...timeouts }, silentLog);
  db = createDb(pool);
});
beforeEach(() => sql`delete from schedules`.execute(db));
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(started.splice(0).map((jobs) => jobs.close()));
});
afterAll(() => pool.end());

/** Starts a worker that runs only scheduled jobs and polls at a short interval. */
function worker(jobs: Job[], metrics = createMetrics('test')): Jobs {
  const quick = { loopsBelowMs: 0, lookMs: 10 };
  const running = startJobs(jobs, { db, connectionString: database.url, log: silentLog, metrics, ...quick });
  started.push(running);
  return running;
}
const workers = (count: number, jobs: Job[]) => Array.from({ length: count }, () => worker(jobs));
const shift = (name: string, by: string) =>
  sql`update schedules set next_at = next_at + ${by}::interval, ran_at = ran_at + ${by}::interval where name = ${name}`.execute(
    db,
  );

test('runs a job once per interval with three workers', async () => {
  const times: number[] = [];
  const run = async () => void times.push(performance.now());
  workers(3, [{ name: 'once', everyMs: 300, run }]);
  await until(() => times.length === 5);
  // Runs are due one interval apart on a single clock. If a run starts late, the time until the next run is shorter by that delay.
  expect(times[4]! - times[0]!).toBeGreaterThanOrEqual(4 * 300 - 150);
  // The next run is scheduled only when a run has ended.
  await until(async () => {
    const { rows } = await sql<{ ok: boolean }>`
      select next_at = ran_at + interval '300 ms' as ok from schedules where name = 'once'`.execute(db);
    return rows[0]!.ok;
  });
});

test('does not repeat a job on a worker that starts later', async () => {
  let runs = 0;
  const jobs = [{ name: 'kept', everyMs: 60_000, run: async () => void runs++ }];
  const [first] = workers(1, jobs);
  await until(() => runs === 1);
  await first!.close();
  workers(2, jobs);
  await sleep(200);
  expect(runs).toBe(1);
});

test('takes over a run when the worker that runs it dies', async () => {
  const ran: string[] = [];
  const hang = Promise.withResolvers<void>();
  const hanging = async () => {
    ran.push('first');
    await hang.promise;
  };
  worker([{ name: 'taken', everyMs: 60_000, run: hanging }]);
  try {
    await until(() => ran.length === 1);
    worker([{ name: 'taken', everyMs: 60_000, run: async () => void ran.push('second') }]);
    await sleep(150);
    expect(ran).toEqual(['first']);
    // Simulates the end of a process by closing the connection that holds its locks.
    const mend = await cutOff(database, 'croupier jobs');
    await mend();
    await until(() => ran.includes('second'));
  } finally {
    hang.resolve();
  }
  await sleep(100);
  expect(ran).toEqual(['first', 'second']);
});

test.each(['-10 minutes', '+10 minutes', '+400 days'])(
  'ignores a worker clock that is off by %s',
  async (by) => {
    const name = `clock ${by}`;
    let runs = 0;
    workers(2, [{ name, everyMs: 200, run: async () => void runs++ }]);
    await until(() => runs === 2);
    const [amount, unit] = by.split(' ') as [string, string];
    const off = Number(amount) * (unit === 'days' ? 86_400_000 : 60_000);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off });
    const [before, since] = [runs, performance.now()];
    await until(() => runs >= before + 4);
    expect(performance.now() - since).toBeGreaterThanOrEqual(3 * 200 - 50);
  },
);

test.each(['5 minutes', '400 days'])(
  'runs a job once, at most an interval late, when the database clock is set back %s',
  async (by) => {
    const name = `back ${by}`;
    const times: number[] = [];
    const run = async () => void times.push(performance.now());
    workers(3, [{ name, everyMs: 400, run }]);
    await until(() => times.length === 1);
    await sleep(30);
    // After a clock is set back, all stored times are in the future.
    await shift(name, by);
    await until(() => times.length === 3);
    const gaps = [times[1]! - times[0]!, times[2]! - times[1]!];
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(350);
  },
);

test('runs each due job once when the database clock is set forward', async () => {
  let runs = 0;
  workers(3, [{ name: 'forward', everyMs: 60_000, run: async () => void runs++ }]);
  await until(() => runs === 1);
  await sleep(50);
  await shift('forward', '-400 days');
  await until(() => runs === 2);
  await sleep(200);
  expect(runs).toBe(2);
});

test('retries a failure after its interval, and measures durations, failures and the last success', async () => {
  const metrics = createMetrics('test');
  let runs = 0;
  const run = async () => {
    if (++runs === 1) throw new Error('no');
  };
  worker([{ name: 'failing', everyMs: 100, run }], metrics);
  await until(() => runs === 3);
  await until(async () =>
    /croupier_job_duration_seconds_count\{.*job_name="failing".*\} [3-9]/.test(
      await metrics.registry.metrics(),
    ),
  );
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/croupier_job_failures_total\{.*job_name="failing".*\} 1\n/);
  const [, at] = /croupier_job_last_success_timestamp_seconds\{.*job_name="failing".*\} ([\d.]+)/.exec(text)!;
  expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(30);
});

test('applies a shorter interval immediately', async () => {
  let runs = 0;
  const run = async () => void runs++;
  const [first] = workers(1, [{ name: 'shorter', everyMs: 3_600_000, run }]);
  await until(() => runs === 1);
  await first!.close();
  workers(1, [{ name: 'shorter', everyMs: 50, run }]);
  await until(() => runs === 3);
});

test('stores no row for loops', async () => {
  let runs = 0;
  const loop = { name: 'loop', everyMs: 20, run: async () => void runs++ };
  started.push(startJobs([loop], { db, connectionString: database.url, log: silentLog }));
  await until(() => runs === 3);
  const { rows } = await sql`select name from schedules where name = 'loop'`.execute(db);
  expect(rows).toEqual([]);
});
