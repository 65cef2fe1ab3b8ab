import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { until } from '../../../../test/kit/until.ts';
import { createIdsTaken } from './ids-taken.ts';

const NEVER_MS = 3_600_000;
const app = fixture(startApp);
const player = fixture(() => app.newPlayer({ usdt: 100 }));

/** A job with work left for so many turns, and how often it was asked. */
function follow(leastMs = NEVER_MS) {
  const job = { work: 0, asked: 0 };
  const hasWork = async () => {
    job.asked++;
    return job.work-- > 0;
  };
  return Object.assign(job, { isDue: createIdsTaken(app.db, { sharedMs: 0 }).since(hasWork, leastMs) });
}

test('a job is asked whether it has work while ids are taken, until it says no, and then not again', async () => {
  const job = follow();
  job.work = 2;
  expect((await betOnDice(player)).status).toBe(201);
  expect(await job.isDue()).toBe(true);
  expect(await job.isDue()).toBe(true);
  expect(await job.isDue()).toBe(false);
  // At rest, once all that was taken is known to be complete.
  await until(async () => {
    const { asked } = job;
    for (let i = 0; i < 5; i++) await job.isDue();
    return job.asked === asked;
  });
  job.work = 1;
  expect((await betOnDice(player)).status).toBe(201);
  await until(job.isDue);
});

test('ids that were taken but not committed yet are reported once they are', async () => {
  const job = follow();
  const taken = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const late = app.db.transaction().execute(async (tx) => {
    await sql`select pg_current_xact_id(), nextval('ledger_ids')`.execute(tx);
    taken.resolve();
    await commit.promise;
  });
  await taken.promise;
  // Nothing is complete beyond them, however often it is asked.
  for (let i = 0; i < 5; i++) expect(await job.isDue()).toBe(false);
  expect(job.asked).toBe(1);
  commit.resolve();
  await late;
  job.work = 1;
  await until(job.isDue);
  expect(job.asked).toBe(2);
});

test('a job that is asked for another reason hears that no ids were taken', async () => {
  const heard: boolean[] = [];
  const hasWork = async (wereIdsTaken: boolean) => heard.push(wereIdsTaken) < 0;
  const isDue = createIdsTaken(app.db, { sharedMs: 0 }).since(hasWork, 0);
  expect(await isDue()).toBe(false);
  await until(async () => !(await isDue()) && heard.at(-1) === false);
  expect((await betOnDice(player)).status).toBe(201);
  const before = heard.length;
  await until(async () => !(await isDue()) && heard.slice(before).includes(true));
});

test('work that comes by another way is looked for now and then', async () => {
  const job = follow(0);
  expect(await job.isDue()).toBe(false);
  job.work = 1;
  expect(await job.isDue()).toBe(true);
});
