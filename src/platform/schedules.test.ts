import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../test/kit/database.ts';
import { fixture } from '../../test/kit/fixture.ts';
import { cutOff } from '../../test/kit/outage.ts';
import { until } from '../../test/kit/until.ts';
import { createDb, createPool, type Db, type Pool } from './db.ts';
import { type Job, type Jobs, startJobs } from './jobs.ts';
import { silentLog } from './log.ts';
import { createMetrics } from './metrics.ts';

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

/** One worker: everything it has is a schedule, and it looks often. */
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

test('with three workers a job runs once per interval', async () => {
  const times: number[] = [];
  const run = async () => void times.push(performance.now());
  workers(3, [{ name: 'once', everyMs: 300, run }]);
  await until(() => times.length === 5);
  // By one clock they are due an interval apart; a late run brings the next one nearer by what it was late.
  expect(times[4]! - times[0]!).toBeGreaterThanOrEqual(4 * 300 - 150);
  // While it runs the next one is not settled yet.
  await until(async () => {
    const { rows } = await sql<{ ok: boolean }>`
      select next_at = ran_at + interval '300 ms' as ok from schedules where name = 'once'`.execute(db);
    return rows[0]!.ok;
  });
});

test('a worker that starts later does not run again what ran', async () => {
  let runs = 0;
  const jobs = [{ name: 'kept', everyMs: 60_000, run: async () => void runs++ }];
  const [first] = workers(1, jobs);
  await until(() => runs === 1);
  await first!.close();
  workers(2, jobs);
  await sleep(200);
  expect(runs).toBe(1);
});

test('a run that dies with its worker is taken over by another', async () => {
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
    // What ends a process ends the connection that holds its locks.
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
  'F13 the clock of a worker that is off by %s changes nothing',
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
  'F13 the clock of the database goes back %s: not twice, and an interval later at most',
  async (by) => {
    const name = `back ${by}`;
    const times: number[] = [];
    const run = async () => void times.push(performance.now());
    workers(3, [{ name, everyMs: 400, run }]);
    await until(() => times.length === 1);
    await sleep(30);
    // As seen from a clock that went back, everything that was noted lies ahead.
    await shift(name, by);
    await until(() => times.length === 3);
    const gaps = [times[1]! - times[0]!, times[2]! - times[1]!];
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(350);
  },
);

test('F13 the clock of the database goes forward: what is due runs once', async () => {
  let runs = 0;
  workers(3, [{ name: 'forward', everyMs: 60_000, run: async () => void runs++ }]);
  await until(() => runs === 1);
  await sleep(50);
  await shift('forward', '-400 days');
  await until(() => runs === 2);
  await sleep(200);
  expect(runs).toBe(2);
});

test('a failure is tried again after its interval; durations, failures and the last success are counted', async () => {
  const metrics = createMetrics('test');
  let runs = 0;
  const run = async () => {
    if (++runs === 1) throw new Error('no');
  };
  worker([{ name: 'failing', everyMs: 100, run }], metrics);
  await until(() => runs === 3);
  await until(async () =>
    /job_duration_seconds_count\{.*job="failing".*\} [3-9]/.test(await metrics.registry.metrics()),
  );
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/job_failures_total\{.*job="failing".*\} 1\n/);
  const [, at] = /job_last_success_timestamp_seconds\{.*job="failing".*\} ([\d.]+)/.exec(text)!;
  expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(30);
});

test('a shorter interval than before applies immediately', async () => {
  let runs = 0;
  const run = async () => void runs++;
  const [first] = workers(1, [{ name: 'shorter', everyMs: 3_600_000, run }]);
  await until(() => runs === 1);
  await first!.close();
  workers(1, [{ name: 'shorter', everyMs: 50, run }]);
  await until(() => runs === 3);
});

test('loops leave no row behind', async () => {
  let runs = 0;
  const loop = { name: 'loop', everyMs: 20, run: async () => void runs++ };
  started.push(startJobs([loop], { db, connectionString: database.url, log: silentLog }));
  await until(() => runs === 3);
  const { rows } = await sql`select name from schedules where name = 'loop'`.execute(db);
  expect(rows).toEqual([]);
});
