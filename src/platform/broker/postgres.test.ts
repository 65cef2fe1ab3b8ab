import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BrokerWorld, brokerSuite, openWorld } from '../../../test/kit/broker-suite.ts';
import { transaction } from '../db.ts';
import { countDead, declareQueue, dropTemporary, purgeDead } from './postgres-queries.ts';

brokerSuite('PostgreSQL', () => openWorld());

test('a dead letter that nobody has asked for in thirty days goes', async () => {
  const world = await openWorld();
  const die = (days: number) =>
    sql`insert into broker_dead_letters
    (queue, message_id, pattern, data, headers, attempts, reason, died_at)
    values ('q', ${`m${days}`}, 'x', '{}', '{}', 5, 'no', now() - ${days}::int * interval '1 day')`.execute(
      world.db,
    );
  await die(31);
  await die(29);
  await purgeDead(world.db);
  expect(await countDead(world.db)).toBe(1);
  await world.end();
});

test('a process that consumes and has nothing to do asks one statement a second', async () => {
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
  // A busy machine sleeps longer.
  const seconds = (performance.now() - began) / 1000;
  // Other tests of this process may still be closing what they had.
  const { current } = (await sql<{ current: string }>`select current_database() as current`.execute(world.db))
    .rows[0]!;
  const names = asked.mock.calls
    .filter((_, i) => (asked.mock.contexts[i] as pg.Client).database === current)
    .map(([statement]) => (statement as { name?: string }).name);
  asked.mockRestore();
  const looks = names.filter((name) => name === 'broker.look').length;
  expect(looks).toBeGreaterThanOrEqual(2);
  expect(looks).toBeLessThanOrEqual(seconds + 1);
  // Beside them a look for messages without a notice, every five seconds.
  expect(names.length - looks).toBeLessThanOrEqual(2 + seconds / 5);
  await world.closeBrokers();
  await world.end();
});

describe('queues that end with their last consumer', () => {
  let world: BrokerWorld;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(async () => {
    await world.closeBrokers();
    await world.end();
  });

  test('one that somebody begins to consume while the last one leaves is there for them', async () => {
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

  test('a process that was taken for dead and is not is asked again', async () => {
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
