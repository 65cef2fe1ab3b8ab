import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BrokerWorld, brokerSuite, openWorld } from '../../../test/kit/processes/broker-suite.ts';
import { transaction } from '../database/db.ts';
import { deleteDue } from '../jobs/purge.ts';
import { countDead, DEAD_EXPIRY, declareQueue, dropTemporary } from './postgres-queries.ts';

brokerSuite('PostgreSQL', () => openWorld());

test('deletes unused dead letters after thirty days', async () => {
  const world = await openWorld();
  const die = (days: number) =>
    sql`insert into broker_dead_letters
    (queue, message_id, pattern, data, headers, attempts, reason, died_at)
    values ('q', ${`m${days}`}, 'x', '{}', '{}', 5, 'no', now() - ${days}::int * interval '1 day')`.execute(
      world.db,
    );
  await die(31);
  await die(29);
  await deleteDue(world.db, DEAD_EXPIRY);
  expect(await countDead(world.db)).toBe(1);
  await world.end();
});

test('runs one statement a second while a consumer is idle', async () => {
  const world = await openWorld();
  const handled = Promise.withResolvers<void>();
  const broker = await world.open();
  await broker.subscribe('at-rest', ['at.rest'], async () => handled.resolve());
  await broker.publish('at.rest', {});
  await handled.promise;
  await sleep(500);
  const asked = vi.spyOn(pg.Client.prototype, 'query');
  const began = performance.now();
  await sleep(3000);
  // On a busy machine the sleep lasts longer than requested.
  const seconds = (performance.now() - began) / 1000;
  // Other tests of this process may still be closing their connections.
  const { current } = (await sql<{ current: string }>`select current_database() as current`.execute(world.db))
    .rows[0]!;
  const names = asked.mock.calls
    .filter((_, i) => (asked.mock.contexts[i] as pg.Client).database === current)
    .map(([statement]) => (statement as { name?: string }).name);
  asked.mockRestore();
  const looks = names.filter((name) => name === 'broker.look').length;
  expect(looks).toBeGreaterThanOrEqual(2);
  expect(looks).toBeLessThanOrEqual(seconds + 1);
  // The consumer also polls every five seconds, in case a notification was lost.
  expect(names.length - looks).toBeLessThanOrEqual(2 + seconds / 5);
  await world.closeBrokers();
  await world.end();
});

test('consumes a queue as soon as the database responds, even if declaring the queue failed at first', async () => {
  const world = await openWorld();
  const locker = new pg.Client({ connectionString: world.database.url });
  await locker.connect();
  // Sets a short lock timeout for new connections.
  await locker.query(`alter database ${world.database.name} set lock_timeout = '200ms'`);
  await locker.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  const broker = await world.open();
  await broker.subscribe('first', ['first.x'], async () => undefined);
  await locker.query('begin; lock table broker_queues in access exclusive mode');
  const handled = Promise.withResolvers<void>();
  await broker.subscribe('late', ['late.x'], async () => handled.resolve());
  await locker.query('rollback');
  await vi.waitUntil(async () => (await broker.info('late'))?.consumerCount === 1, { timeout: 30_000 });
  await broker.publish('late.x', {});
  await handled.promise;
  await locker.end();
  await world.closeBrokers();
  await world.end();
});

describe('temporary queues', () => {
  let world: BrokerWorld;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(async () => {
    await world.closeBrokers();
    await world.end();
  });

  test('keeps a temporary queue when a new consumer starts while the last one disconnects', async () => {
    const queue = { queue: 'taken-over', patterns: ['x'], lasts: false };
    await transaction(world.db, (tx) => declareQueue(tx, queue));
    let dropping: Promise<void> | undefined;
    await transaction(world.db, async (tx) => {
      await declareQueue(tx, { ...queue, holder: 'next' });
      dropping = dropTemporary(world.db);
      await Promise.race([dropping, new Promise((resolve) => setTimeout(resolve, 200))]);
    });
    await dropping;
    const { rows } = await sql`select queue, holder from broker_consumers`.execute(world.db);
    expect(rows).toEqual([{ queue: 'taken-over', holder: 'next' }]);
    await sql`delete from broker_consumers`.execute(world.db);
    await dropTemporary(world.db);
    expect((await sql`select from broker_queues where not lasts`.execute(world.db)).rows).toEqual([]);
  });

  test('delivers messages again to a responder that was wrongly considered dead', async () => {
    const responder = await world.open();
    await responder.respond('still.here', async () => 'yes');
    expect(await responder.request('still.here', {})).toBe('yes');
    await sql`delete from broker_queues`.execute(world.db);
    await expect
      .poll(async () => (await world.open()).request('still.here', {}).catch(String), {
        timeout: 5000,
        interval: 200,
      })
      .toBe('yes');
  });
});
