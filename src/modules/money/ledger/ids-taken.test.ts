import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { until } from '../../../../test/kit/until.ts';
import { createIdsTaken } from './safe-watermark.ts';

const NEVER_MS = 3_600_000;
const app = fixture(startApp);
const player = fixture(() => app.newPlayer({ usdt: 100 }));

/** Creates a job that reports work for its next `work` checks, and counts the checks in `asked`. */
function follow(leastMs = NEVER_MS) {
  const job = { work: 0, asked: 0 };
  const hasWork = async () => {
    job.asked++;
    return job.work-- > 0;
  };
  return Object.assign(job, { isDue: createIdsTaken(app.db, { sharedMs: 0 }).since(hasWork, leastMs) });
}

test('runs a job repeatedly after ids are reserved, until the job has no work left', async () => {
  const job = follow();
  job.work = 2;
  expect((await betOnDice(player)).status).toBe(201);
  expect(await job.isDue()).toBe(true);
  expect(await job.isDue()).toBe(true);
  expect(await job.isDue()).toBe(false);
  // The job is idle once all reserved ids are known to be complete.
  await until(async () => {
    const { asked } = job;
    for (let i = 0; i < 5; i++) await job.isDue();
    return job.asked === asked;
  });
  job.work = 1;
  expect((await betOnDice(player)).status).toBe(201);
  await until(job.isDue);
});

test('runs a job for ids reserved by an open transaction only after the commit', async () => {
  const job = follow();
  const taken = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const late = app.db.transaction().execute(async (tx) => {
    await sql`select pg_current_xact_id(), nextval('ledger_ids')`.execute(tx);
    taken.resolve();
    await commit.promise;
  });
  await taken.promise;
  // The later ids do not become complete before the transaction commits, however often `isDue` is called.
  for (let i = 0; i < 5; i++) expect(await job.isDue()).toBe(false);
  expect(job.asked).toBe(1);
  commit.resolve();
  await late;
  job.work = 1;
  await until(job.isDue);
  expect(job.asked).toBe(2);
});

test('reports to the job whether ids were reserved since its last run', async () => {
  const heard: boolean[] = [];
  const hasWork = async (wereIdsTaken: boolean) => heard.push(wereIdsTaken) < 0;
  const isDue = createIdsTaken(app.db, { sharedMs: 0 }).since(hasWork, 0);
  expect(await isDue()).toBe(false);
  await until(async () => !(await isDue()) && heard.at(-1) === false);
  expect((await betOnDice(player)).status).toBe(201);
  const before = heard.length;
  await until(async () => !(await isDue()) && heard.slice(before).includes(true));
});

test('runs the job at regular intervals even if no ids were reserved', async () => {
  const job = follow(0);
  expect(await job.isDue()).toBe(false);
  job.work = 1;
  expect(await job.isDue()).toBe(true);
});
