import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/kit/database.ts';
import { createDb, createPool, type Db } from './db.ts';
import { type Job, type Jobs, startJobs } from './jobs.ts';
import { createLog, silentLog } from './log.ts';

let database: TestDatabase;
let db: Db;
let other: Db;
const started: Jobs[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  [db, other] = [connect('one'), connect('two')];
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.close()));
});
afterAll(async () => {
  await Promise.all([db.destroy(), other.destroy()]);
  await database.drop();
});

test('runs at once and again on its interval', async () => {
  const times: number[] = [];
  start([job('tick', 100, async () => void times.push(performance.now()))]);
  await until(() => times.length === 4);
  // A late first run shortens the way to the fourth by less than one interval.
  expect(times[3]! - times[0]!).toBeGreaterThanOrEqual(200);
});

test('a long run is never overtaken, neither here nor in another process', async () => {
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
  start([slow], other);
  await until(() => runs >= 8);
  expect(most).toBe(1);
});

test('another process takes over when the first is gone, and other jobs do not wait', async () => {
  const ran: string[] = [];
  const first = start([
    job('shared', 20, async () => {
      ran.push('first');
      await sleep(150);
    }),
  ]);
  await until(() => ran.length === 1);
  start(
    [
      job('shared', 20, async () => void ran.push('second')),
      job('own', 20, async () => void ran.push('own')),
    ],
    other,
  );
  await until(() => ran.includes('own'));
  expect(ran).not.toContain('second');
  await first.close();
  await until(() => ran.includes('second'));
});

test('a failure is logged with its job, and the next turn comes', async () => {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    service: 'test',
    destination: { write: (line) => void lines.push(line) },
  });
  let runs = 0;
  const failing = job('failing', 20, async () => {
    if (++runs < 3) throw new Error('the source is down');
  });
  start([failing], db, log);
  await until(() => runs >= 3);
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged).toHaveLength(2);
  expect(logged[0]).toMatchObject({ level: 'error', job: 'failing', error: 'the source is down' });
});

test('a run longer than the time-out of idle transactions keeps its lock', async () => {
  const options = { connectionString: database.url, idle_in_transaction_session_timeout: 50 };
  const impatient = createDb(new pg.Pool(options));
  try {
    let runs = 0;
    const jobs = start([job('long', 60_000, () => sleep(300).then(() => void runs++))], impatient);
    await sleep(200);
    const thieves: string[] = [];
    start([job('long', 20, async () => void thieves.push('other'))], other);
    await sleep(60);
    expect(thieves).toEqual([]);
    await jobs.close();
    expect(runs).toBe(1);
  } finally {
    await impatient.destroy();
  }
});

test('close waits for what runs and starts nothing more', async () => {
  let begun = 0;
  let ended = 0;
  const jobs = start([
    job('closing', 5, async () => {
      begun++;
      await sleep(100);
      ended++;
    }),
    job('resting', 60_000, async () => undefined),
  ]);
  await until(() => begun === 1);
  await jobs.close();
  expect([begun, ended]).toEqual([1, 1]);
  await sleep(50);
  expect(begun).toBe(1);
});

const job = (name: string, everyMs: number, run: Job['run']): Job => ({ name, everyMs, run });

function start(jobs: Job[], on: Db = db, log = silentLog): Jobs {
  const running = startJobs(jobs, { db: on, log });
  started.push(running);
  return running;
}

function connect(name: string): Db {
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  return createDb(createPool({ connectionString: database.url, poolSize: 4, name, ...timeouts }, silentLog));
}

async function until(condition: () => boolean): Promise<void> {
  const giveUp = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > giveUp) throw new Error('did not happen');
    await sleep(5);
  }
}
