import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/kit/database.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { cutOff } from '../../../test/kit/processes/outage.ts';
import { createDb, createPool } from '../database/db.ts';
import { createLog, type Log, silentLog } from '../observability/log.ts';
import { type Job, type Jobs, startJobs } from './jobs.ts';

const started: Jobs[] = [];

const database = fixture(createTestDatabase);
afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.close()));
});

test('runs a job immediately and then at its interval', async () => {
  const times: number[] = [];
  start([job('tick', 100, async () => void times.push(performance.now()))]);
  await until(() => times.length === 4);
  // If the first run is late, the time until the fourth run is shorter, but by less than one interval.
  expect(times[3]! - times[0]!).toBeGreaterThanOrEqual(200);
});

test('never runs two instances of a job at the same time, in one process or in two', async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  const slow = job('slow', 10, async () => {
    most = Math.max(most, ++running);
    await sleep(40);
    running--;
    runs++;
  });
  start([slow]);
  start([slow]);
  await until(() => runs >= 8);
  expect(most).toBe(1);
});

test('rejects a run of a cron job when the job is already running in the same process', async () => {
  const end = Promise.withResolvers<void>();
  let runs = 0;
  const lines: string[] = [];
  const slow = job('slow cron', 3_600_000, async () => {
    runs++;
    await end.promise;
  });
  const run = start([slow], database.url, logTo(lines)).tasks['slow cron']!;
  const first = run({});
  await until(() => runs === 1);
  await expect(run({})).rejects.toThrow('the job is already running');
  end.resolve();
  await first;
  expect([runs, lines]).toEqual([1, []]);
  await run({});
  expect(runs).toBe(2);
});

test('continues a job in another process after the first process has ended, without delaying other jobs', async () => {
  const ran: string[] = [];
  const first = start([
    job('shared', 20, async () => {
      ran.push('first');
      await sleep(150);
    }),
  ]);
  await until(() => ran.length === 1);
  start([
    job('shared', 20, async () => void ran.push('second')),
    job('own', 20, async () => void ran.push('own')),
  ]);
  await until(() => ran.includes('own'));
  expect(ran).not.toContain('second');
  await first.close();
  await until(() => ran.includes('second'));
});

test('runs a loop only when it has work', async () => {
  let isDue = false;
  let runs = 0;
  let turns = 0;
  const lazy = { ...job('lazy', 10, async () => void runs++), isDue: () => isDue };
  start([lazy]);
  start([
    { ...job('never', 10, async () => void runs++), isDue: async () => false },
    job('beside', 10, async () => void turns++),
  ]);
  await until(() => turns > 5);
  expect(runs).toBe(0);
  isDue = true;
  await until(() => runs > 0);
});

test('polls an idle loop with growing pauses, and at full rate once it has work', async () => {
  let isDue = false;
  let asked = 0;
  let runs = 0;
  const ask = () => {
    asked++;
    return isDue;
  };
  start([{ ...job('quiet', 20, async () => void runs++), quietMs: 5000, isDue: ask }]);
  // The following checks run after pauses of 20, 40, 80, 160, 320 and 640 ms.
  await sleep(1000);
  expect(asked).toBeLessThan(12);
  isDue = true;
  await until(() => runs > 0);
  const began = performance.now();
  await until(() => runs >= 6);
  expect(performance.now() - began).toBeLessThan(5 * 5000);
});

test('aborts the signal of a running loop when its process closes', async () => {
  let hasEnded = false;
  const began = Promise.withResolvers<void>();
  const run = async (closing?: AbortSignal) => {
    began.resolve();
    await new Promise((resolve) => closing?.addEventListener('abort', resolve, { once: true }));
    hasEnded = true;
  };
  const jobs = start([job('long', 10, run)]);
  await began.promise;
  await jobs.close();
  expect(hasEnded).toBe(true);
});

test('logs a failure with the name of the job, and runs the job again', async () => {
  const lines: string[] = [];
  const log = logTo(lines);
  let runs = 0;
  const failing = job('failing', 20, async () => {
    if (++runs < 3) throw new Error('the source is down');
  });
  start([failing], database.url, log);
  await until(() => runs >= 3);
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged).toHaveLength(2);
  expect(logged[0]).toMatchObject({ level: 'error', job: 'failing', error: 'the source is down' });
});

test('keeps its lock during a run that exceeds the idle session timeout', async () => {
  const impatient = `${database.url}&options=${encodeURIComponent('-c idle_session_timeout=50ms')}`;
  const end = Promise.withResolvers<void>();
  const ran: string[] = [];
  const long = async () => {
    ran.push('begun');
    await end.promise;
    ran.push('ended');
  };
  const jobs = start([job('long', 30_000, long)], impatient);
  try {
    await until(() => ran.length === 1);
    await sleep(200);
    let turns = 0;
    start([job('long', 20, async () => void ran.push('other')), job('beside', 20, async () => void turns++)]);
    // In the time in which the other job runs five times, the locked job could have run as often.
    await until(() => turns === 5);
    expect(ran).toEqual(['begun']);
  } finally {
    end.resolve();
  }
  await jobs.close();
  expect(ran.filter((what) => what !== 'other')).toEqual(['begun', 'ended']);
});

test('runs more jobs than the connection pool has connections, because locks do not use the pool', async () => {
  const small = createPool(options(2), silentLog);
  const db = createDb(small);
  const ran = new Set<string>();
  const lines: string[] = [];
  const names = Array.from({ length: 6 }, (_, i) => `small ${i}`);
  const work = (name: string) => async () => {
    // The job needs two connections in sequence while the other jobs need theirs.
    await db.transaction().execute((tx) => sql`select pg_sleep(0.02)`.execute(tx));
    await sql`select pg_sleep(0.02)`.execute(db);
    ran.add(name);
  };
  start(
    names.map((name) => job(name, 30_000, work(name))),
    database.url,
    logTo(lines),
  );
  await until(() => ran.size === names.length);
  await Promise.all(started.splice(0).map((jobs) => jobs.close()));
  await small.end();
  expect(lines).toEqual([]);
});

test('continues in one process at a time after the lock connection breaks', async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  const lines: string[] = [];
  const work = async () => {
    most = Math.max(most, ++running);
    await sleep(10);
    running--;
    runs++;
  };
  start([job('steady', 20, work)], database.url, logTo(lines));
  await until(() => runs >= 2);
  const mend = await cutOff(database, 'croupier jobs');
  try {
    await until(() => lines.some((line) => line.includes('lost the connection that holds the job locks')));
    await sleep(100);
  } finally {
    await mend();
  }
  const before = runs;
  start([job('steady', 20, work)]);
  await until(() => runs >= before + 6);
  expect(most).toBe(1);
});

test('releases the lock, so that another process can run the job next', async () => {
  const ran: string[] = [];
  start([job('handed', 30_000, async () => void ran.push('here'))]);
  await until(() => ran.length === 1);
  await sleep(50);
  start([job('handed', 20, async () => void ran.push('there'))]);
  await until(() => ran.includes('there'));
});

test('waits for running jobs when closing, and starts no more jobs', async () => {
  let begun = 0;
  let ended = 0;
  const jobs = start([
    job('closing', 5, async () => {
      begun++;
      await sleep(100);
      ended++;
    }),
    job('resting', 30_000, async () => undefined),
  ]);
  await until(() => begun === 1);
  await jobs.close();
  expect([begun, ended]).toEqual([1, 1]);
  await sleep(50);
  expect(begun).toBe(1);
});

const job = (name: string, everyMs: number, run: Job['run']): Job => ({ name, everyMs, run });

/** Each call acts as a separate process with its own locks. */
function start(jobs: Job[], connectionString = database.url, log: Log = silentLog): Jobs {
  const running = startJobs(jobs, { connectionString, log });
  started.push(running);
  return running;
}

const logTo = (lines: string[]): Log =>
  createLog({
    level: 'info',
    service: 'test',
    destination: { write: (line) => void lines.push(line) },
  });

const options = (poolSize: number) => {
  const timeouts = { connectTimeoutMs: 1000, statementTimeoutMs: 5000 };
  return { connectionString: database.url, poolSize, name: 'test', ...timeouts };
};

async function until(condition: () => boolean): Promise<void> {
  const giveUp = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > giveUp) throw new Error('did not happen');
    await sleep(5);
  }
}
