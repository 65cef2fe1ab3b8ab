import { beforeAll, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { until } from '../../../../test/kit/until.ts';
import { transaction } from '../../../platform/database/db.ts';
import { createMetrics } from '../../../platform/observability/metrics.ts';
import { buryJob, queueLoad } from '../../../platform/queue/dead.ts';
import { addJob, JobHopeless, startQueue } from '../../../platform/queue/queue.ts';
import { listWaiting } from '../../../platform/queue/waiting.ts';
import { createDeadLetters } from './service.ts';

let by: string;
const app = fixture(startApp);
beforeAll(async () => {
  by = (await app.as('superadmin')).username;
});

const letters = () => {
  const { db, log } = app.services;
  return createDeadLetters({ db, log });
};
const audited = async () =>
  (
    await app.db
      .selectFrom('admin_audit')
      .selectAll()
      .where('service', '=', 'command')
      .orderBy('id')
      .execute()
  ).map(({ path, before }) => [path, before]);

test('processes 999 of 1,000 jobs when one is malformed, and retries the malformed job with an audit entry', async () => {
  const done = new Set<number>();
  let isMended = false;
  const task = async (payload: unknown) => {
    const { i } = payload as { i: unknown };
    if (typeof i !== 'number' && !isMended) throw new JobHopeless('i is not a number');
    done.add(Number(i));
  };
  // Removes the tasks that were queued by the sign-ups in this test.
  await app.sql`delete from graphile_worker._private_jobs`.execute(app.db);
  await app.db.transaction().execute(async (tx) => {
    for (let i = 0; i < 1000; i++) await addJob(tx, 'count', { i: i === 500 ? '500' : i });
  });
  expect((await queueLoad(app.db)).waiting).toBe(1000);
  const queue = startQueue({
    connectionString: app.database.url,
    tasks: { count: task },
    concurrency: 8,
    log: app.services.log,
  });
  try {
    await until(async () => done.size === 999 && (await queueLoad(app.db)).dead === 1, 50_000);
    expect(await queueLoad(app.db)).toEqual({ waiting: 0, dead: 1, oldestSeconds: 0 });
    const [letter] = await letters().list('count');
    expect(letter).toMatchObject({ kind: 'job', queue: 'count', attempts: 1, data: { i: '500' } });
    expect(letter!.reason).toContain('i is not a number');
    isMended = true;
    await expect(letters().act('redrive', { id: letter!.id }, 'nobody')).rejects.toMatchObject({
      code: 'STAFF_UNKNOWN',
    });
    expect(await letters().act('redrive', { id: letter!.id }, by)).toBe(1);
    await until(() => done.has(500));
    await until(async () => (await queueLoad(app.db)).dead === 0);
    expect(await audited()).toEqual([['dead-letters redrive', { letters: [`count ${letter!.id}`] }]]);
  } finally {
    await queue.close();
  }
});

test('lists dead jobs without secrets, deletes one, and retries the others together', async () => {
  for (const n of [1, 2, 3])
    await transaction(app.db, (tx) =>
      buryJob(tx, 'test.letters', { password: 'super-secret-word', n }, { attempts: 1, reason: 'not yet' }),
    );
  const listed = await letters().list('test.letters');
  expect(listed).toHaveLength(3);
  expect(JSON.stringify(listed)).not.toContain('super-secret-word');
  const [, second] = listed;
  expect(await letters().find(second!.id)).toEqual(second);
  expect(await letters().act('drop', { id: second!.id }, by)).toBe(1);
  await expect(letters().find(second!.id)).rejects.toMatchObject({ code: 'DEAD_LETTER_NOT_FOUND' });
  expect(await letters().act('redrive', { queue: 'test.letters' }, by)).toBe(2);
  expect((await listWaiting(app.db, 'test.letters', 10)).map(({ payload }) => payload)).toMatchObject([
    { n: 1 },
    { n: 3 },
  ]);
  expect(await letters().act('redrive', { queue: 'test.letters' }, by)).toBe(0);
  expect((await audited()).slice(1).map(([path]) => path)).toEqual([
    'dead-letters drop',
    'dead-letters redrive',
  ]);
});

test('reports a metric as NaN if it cannot be read, and reports the other metrics as usual', async () => {
  const metrics = createMetrics('test');
  metrics.watch('croupier_fine', 'x', async () => 7);
  metrics.watch('croupier_broken', 'x', async () => {
    throw new Error('away');
  });
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/^croupier_fine\{.*\} 7$/m);
  expect(text).toMatch(/^croupier_broken\{.*\} Nan$/im);
});
