import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/kit/database.ts';
import { fixture } from '../../../test/kit/fixture.ts';
import { cutOff } from '../../../test/kit/processes/outage.ts';
import { createDb, createPool, type Db, transaction } from '../database/db.ts';
import { isMigrated } from '../database/schema/migrate.ts';
import { createLog } from '../observability/log.ts';
import { purgeDeadJobs } from './dead.ts';
import { addJob, JobHopeless, type Queue, startQueue, type Tasks } from './queue.ts';
import { isQueueMigrated, migrateQueue, QUEUE_REVISION, toQueueLog } from './schema.ts';

let db: Db;
let lines: string[] = [];
const log = createLog({
  level: 'trace',
  service: 'test',
  destination: { write: (line) => void lines.push(line) },
});
const started: Queue[] = [];

const database = fixture(createTestDatabase);
beforeAll(async () => {
  db = connect(database.url);
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((queue) => queue.close()));
  await sql`delete from graphile_worker._private_jobs`.execute(db);
  lines = [];
});
afterAll(() => db.destroy());

const add = (name: string, payload: object = {}, options: Parameters<typeof addJob>[3] = {}) =>
  transaction(db, (tx) => addJob(tx, name, payload, options));

function start(tasks: Tasks, { concurrency = 2, sweepMs = 100 } = {}): Queue {
  const queue = startQueue({ connectionString: database.url, tasks, concurrency, log, sweepMs });
  started.push(queue);
  return queue;
}

type Row = {
  id: bigint;
  attempts: number;
  max_attempts: number;
  last_error: string | null;
  in_seconds: number;
};

async function jobs(): Promise<Row[]> {
  const { rows } = await sql<Row>`select id, attempts, max_attempts, last_error,
    extract(epoch from run_at - now())::float8 as in_seconds from graphile_worker.jobs order by id`.execute(
    db,
  );
  return rows;
}

const logged = (level: string) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line.level === level);

test('uses the tables of the installed library version, and checks them before it reports that it is ready', async () => {
  const { rows } = await sql<{ id: number }>`select max(id) as id from graphile_worker.migrations`.execute(
    db,
  );
  expect(rows[0]?.id).toBe(QUEUE_REVISION);
  expect(await isMigrated(db)).toBe(true);
  await sql`delete from graphile_worker.migrations where id = ${QUEUE_REVISION}`.execute(db);
  expect(await isMigrated(db)).toBe(false);
  await migrateQueue(db, log);
  expect(await isMigrated(db)).toBe(true);
});

test('creates missing tables once when several processes start concurrently', async () => {
  const own = await createTestDatabase();
  const others = Array.from({ length: 6 }, () => connect(own.url));
  await sql`drop schema graphile_worker cascade`.execute(others[0]!);
  expect(await isQueueMigrated(others[0]!)).toBe(false);
  await Promise.all(others.map((other) => migrateQueue(other, log)));
  expect(await Promise.all(others.map(isQueueMigrated))).toEqual(others.map(() => true));
  await Promise.all(others.map((other) => other.destroy()));
  await own.drop();
});

test('adds a job only if its transaction commits, and then runs the job immediately', async () => {
  const ran: unknown[] = [];
  start({ note: async (payload) => void ran.push(payload) });
  const undone = transaction(db, async (tx) => {
    await addJob(tx, 'note', { n: 1 });
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  await add('note', { n: 2 });
  await until(() => ran.length > 0);
  await until(async () => (await jobs()).length === 0);
  expect(ran).toEqual([{ n: 2 }]);
});

test('keeps only the newest pending job of a key, and delays it until runAt', async () => {
  const ran: unknown[] = [];
  await add('note', { n: 1 }, { key: 'one', runAt: new Date(Date.now() + 60_000) });
  await add('note', { n: 2 }, { key: 'one', runAt: new Date(Date.now() + 60_000) });
  await add('note', { n: 3 }, { key: 'two' });
  start({ note: async (payload) => void ran.push(payload) });
  await until(() => ran.length === 1);
  expect(ran).toEqual([{ n: 3 }]);
  await until(async () => (await jobs()).length === 1);
  expect((await jobs())[0]!.in_seconds).toBeGreaterThan(30);
});

test('retries a failed job with growing delays and logs an error after the last attempt', async () => {
  let runs = 0;
  await add('fail', { canary: 'payload-canary' }, { maxAttempts: 2 });
  start({
    fail: async () => {
      runs++;
      throw new Error('the server is down');
    },
  });
  await until(async () => (await jobs())[0]?.last_error != null);
  expect((await jobs())[0]).toMatchObject({ attempts: 1, last_error: 'the server is down' });
  expect((await jobs())[0]!.in_seconds).toBeGreaterThan(1);
  expect(logged('warn')).toMatchObject([{ job: 'fail', attempt: 1, error: 'the server is down' }]);
  expect(logged('error')).toEqual([]);
  await until(() => runs === 2);
  await until(() => logged('error').length === 1);
  expect(logged('error')).toMatchObject([{ job: 'fail', attempt: 2, error: 'the server is down' }]);
  expect(await jobs()).toMatchObject([{ attempts: 2, max_attempts: 2 }]);
  expect(lines.join()).not.toContain('payload-canary');
});

test('moves a job that can never succeed to the dead letters immediately', async () => {
  let runs = 0;
  await add('fail');
  start({
    fail: async () => {
      runs++;
      throw new JobHopeless('nobody lives there');
    },
  });
  await until(() => logged('error').length === 1);
  await until(async () => (await jobs())[0]?.last_error === 'nobody lives there');
  expect(logged('error')).toMatchObject([{ job: 'fail', error: 'nobody lives there' }]);
  const [row] = await jobs();
  expect(row!.attempts).toBe(row!.max_attempts);
  expect(runs).toBe(1);
});

test('deletes dead letters after thirty days, but not pending jobs', async () => {
  for (const name of ['dead', 'old', 'waits']) await add(name, {}, { key: name });
  await sql`alter table graphile_worker._private_jobs disable trigger user`.execute(db);
  const outdated = sql`updated_at = now() - interval '31 days'`;
  await sql`update graphile_worker._private_jobs set attempts = max_attempts where key in ('dead', 'old')`.execute(
    db,
  );
  await sql`update graphile_worker._private_jobs set ${outdated} where key in ('old', 'waits')`.execute(db);
  await purgeDeadJobs(db);
  const { rows } = await sql<{ key: string }>`select key from graphile_worker.jobs order by key`.execute(db);
  expect(rows.map(({ key }) => key)).toEqual(['dead', 'waits']);
});

test('runs each job only once with two workers, and never takes a job from another worker', async () => {
  const ran: number[] = [];
  const note = async (payload: unknown) => {
    ran.push((payload as { n: number }).n);
    // Sleeps for many times the interval of the check for dead workers.
    if (ran.length < 3) await sleep(600);
  };
  start({ note }, { sweepMs: 50 });
  start({ note }, { sweepMs: 50 });
  await transaction(db, async (tx) => {
    for (let n = 0; n < 40; n++) await addJob(tx, 'note', { n });
  });
  await until(async () => (await jobs()).length === 0);
  expect(ran.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
});

test('returns jobs that a busy worker has fetched in advance, so that an idle worker runs them', async () => {
  const end = Promise.withResolvers<void>();
  let slow = 0;
  let quick = 0;
  const tasks = {
    slow: async () => {
      slow++;
      await end.promise;
    },
    quick: async () => void quick++,
  };
  start(tasks, { concurrency: 1 });
  await add('slow');
  await until(() => slow === 1);
  await add('quick');
  await until(async () => {
    const { rows } =
      await sql`select from graphile_worker.jobs where task_identifier = 'quick' and locked_at is not null`.execute(
        db,
      );
    return rows.length > 0;
  });
  start(tasks, { concurrency: 1 });
  await until(() => quick === 1);
  end.resolve();
});

test('logs the library messages of an outage as debug messages', async () => {
  const logger = await toQueueLog(log);
  logger.error(
    'Error occurred fetching jobs; will try again on next poll interval. Error: the database is down',
  );
  logger.error('Cron hit an error; restarting in 200ms (attempt 1): the database is down');
  logger.error("Failed to complete jobs '10':\nError: the database is down");
  logger.error("Failed to fail jobs '11', '12':\nError: the database is down");
  expect([logged('debug').length, logged('error')]).toEqual([4, []]);
});

test('runs a job again if its worker was killed', async () => {
  await add('hang', { n: 7 });
  const script = `
    import { startQueue } from './src/platform/queue/queue.ts';
    import { silentLog } from './src/platform/observability/log.ts';
    const hang = () => { process.stdout.write('running'); return new Promise(() => setInterval(() => {}, 1000)); };
    startQueue({ connectionString: ${JSON.stringify(database.url)}, tasks: { hang }, concurrency: 1, log: silentLog });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  const ran: unknown[] = [];
  start({ hang: async (payload) => void ran.push(payload) });
  await sleep(500);
  expect(ran).toEqual([]);
  child.kill('SIGKILL');
  await ended;
  await until(() => ran.length === 1);
  expect(ran).toEqual([{ n: 7 }]);
  expect(logged('warn')).toContainEqual(
    expect.objectContaining({ job: 'hang', msg: 'a worker died during a job; the job is retried' }),
  );
});

test('logs a dead letter when a worker is killed during the last attempt', async () => {
  await add('hang', {}, { maxAttempts: 1 });
  await sql`update graphile_worker._private_jobs set attempts = 1, locked_at = now(), locked_by = 'pool-gone'`.execute(
    db,
  );
  start({ hang: async () => undefined });
  await until(() => logged('error').length > 0);
  expect(logged('error')).toMatchObject([{ job: 'hang' }]);
  expect(await jobs()).toMatchObject([{ attempts: 1, max_attempts: 1 }]);
});

test('reconnects a worker whose connections were closed', async () => {
  const ran: unknown[] = [];
  start({ note: async (payload) => void ran.push(payload) });
  await add('note', { n: 1 });
  await until(() => ran.length === 1);
  await until(async () => (await connections('croupier queue presence')) === 1);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'croupier queue%'`.execute(db);
  await add('note', { n: 2 });
  await until(() => ran.length === 2);
  await until(async () => (await connections('croupier queue presence')) === 1);
  expect(ran).toEqual([{ n: 1 }, { n: 2 }]);
});

test('runs a job again if its completion could not be stored', async () => {
  let runs = 0;
  const goOn = new AbortController();
  start({
    note: async () => {
      if (++runs === 1) await sleep(60_000, undefined, { signal: goOn.signal }).catch(() => undefined);
    },
  });
  await add('note');
  await until(() => runs === 1);
  const restore = await cutOff(database, 'croupier queue%');
  goOn.abort();
  await until(() => logged('error').some(({ msg }) => /the queue stopped/.test(String(msg))));
  await restore();
  await until(() => runs === 2);
  await until(async () => (await jobs()).length === 0);
});

test('waits for running jobs when closing, starts no more jobs, and then disconnects', async () => {
  let ended = 0;
  let begun = 0;
  const queue = start(
    {
      slow: async () => {
        begun++;
        await sleep(400);
        ended++;
      },
    },
    { concurrency: 1 },
  );
  await add('slow');
  await until(() => begun === 1);
  await add('slow');
  await queue.close();
  expect([begun, ended]).toEqual([1, 1]);
  expect(await jobs()).toMatchObject([{ attempts: 0 }]);
  await until(async () => (await connections('croupier queue%')) === 0);
});

test('closes after five seconds at most', async () => {
  const finish = new AbortController();
  const queue = start({
    slow: () => sleep(60_000, undefined, { signal: finish.signal }).catch(() => undefined),
  });
  await add('slow');
  await until(async () => (await jobs())[0]?.attempts === 1);
  const began = performance.now();
  await queue.close();
  expect(performance.now() - began).toBeGreaterThan(4500);
  expect(performance.now() - began).toBeLessThan(30_000);
  finish.abort();
});

async function connections(name: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name like ${name}`.execute(db);
  return rows[0]!.n;
}

function connect(connectionString: string): Db {
  const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 20_000 };
  return createDb(createPool({ connectionString, poolSize: 2, name: 'test', ...timeouts }, log));
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + 15_000;
  while (!(await condition())) {
    if (performance.now() > giveUp) throw new Error('did not happen');
    await sleep(10);
  }
}
