import { beforeEach, describe, expect, test } from 'vitest';
import { PATIENCE, type Player, startApp } from '../../../../../test/kit/app.ts';
import { startCrm } from '../../../../../test/kit/backoffice/crm.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { until } from '../../../../../test/kit/until.ts';
import { betConsumers } from '../../../../app/worker.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { startQueue } from '../../../../platform/queue/queue.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { depositEvents } from '../../../money/payments/deposits/schemas.ts';
import { createDeadLetters } from '../../../operations/dead-letters/service.ts';
import { backoffice } from '../../area.ts';
import { REDELIVER } from './deliver.ts';

const world = fixture(() => startCrm({ env: PATIENCE }));
const boss = fixture(() => world.app.as('superadmin'));

/** Emits an event for a player that contains the number `n`. */
const happen = ({ id }: Pick<Player, 'id'>, n: number) =>
  transaction(world.app.db, (tx) =>
    emitEvent(tx, {
      event: depositEvents['deposit.status'],
      userId: id,
      data: { depositId: String(n), status: 'COMPLETED', currencyId: 'USDT', amount: String(n) },
    }),
  );
const numbersOf = async (player: Player) =>
  (await world.saidOf(player, 'deposit')).map(({ payment_id }) => Number(payment_id));
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
const letters = () => {
  const { db, log } = world.app.services;
  return createDeadLetters({ db, log });
};
const attemptsOf = async ({ id }: Player): Promise<number[]> => {
  const { rows } = await world.app.sql<{ attempts: number }>`
    select attempts from crm_messages where user_id = ${id} order by id`.execute(world.app.db);
  return rows.map(({ attempts }) => attempts);
};
/** Delivers messages until none are waiting. The circuit breaker may stay open for five seconds. */
const deliverAll = () =>
  until(async () => {
    await world.hurry();
    await world.deliver();
    return (await world.waiting()) === 0;
  }, 240_000);
const newPlayer = async () => {
  const player = await world.app.newPlayer();
  await world.settle();
  return player;
};

beforeEach(async () => {
  await world.behave('ok');
  await world.collect();
  await deliverAll();
});

describe('a CRM outage', () => {
  test("loses no event and keeps the order of each player's events", { timeout: 240_000 }, async () => {
    const players = [await newPlayer(), await newPlayer(), await newPlayer()];
    await world.behave('down');
    for (const n of upTo(10)) for (const player of players) await happen(player, n);
    await world.collect();
    await world.deliver();
    await world.hurry();
    await world.deliver();
    expect(await world.waiting()).toBe(30);
    for (const player of players) expect((await attemptsOf(player)).slice(1)).toEqual(Array(9).fill(0));
    await world.behave('ok');
    await deliverAll();
    for (const player of players) expect(await numbersOf(player)).toEqual(upTo(10));
  });

  test('opens the circuit breaker after five failures, and makes no delivery attempts while it is open', {
    timeout: 240_000,
  }, async () => {
    const players = await Promise.all(Array.from({ length: 20 }, newPlayer));
    await world.behave('error');
    for (const player of players) await happen(player, 1);
    await world.collect();
    for (const _ of upTo(5)) await world.deliver();
    const attempts = (await Promise.all(players.map(attemptsOf))).flat();
    const tried = attempts.reduce((sum, n) => sum + n, 0);
    // Eight deliveries run concurrently, so more than five may be attempted before the circuit breaker opens.
    expect(tried).toBeGreaterThanOrEqual(5);
    expect(tried).toBeLessThanOrEqual(5 + 7);
    await world.behave('ok');
    await deliverAll();
    for (const player of players) expect(await numbersOf(player)).toEqual([1]);
  });

  test('delays only the player whose message fails, with increasing delays between attempts', async () => {
    const [unlucky, other] = [await newPlayer(), await newPlayer()];
    await world.behave('busy');
    await happen(unlucky, 1);
    await world.collect();
    await world.deliver();
    await world.behave('ok');
    await happen(unlucky, 2);
    await happen(other, 1);
    await world.settle();
    expect([await numbersOf(unlucky), await numbersOf(other)]).toEqual([[], [1]]);
    const { rows } = await world.app.sql<{ seconds: number }>`
      select extract(epoch from due_at - now())::float8 as seconds from crm_players where user_id = ${unlucky.id}`.execute(
      world.app.db,
    );
    expect(rows[0]!.seconds).toBeGreaterThan(0);
    expect(rows[0]!.seconds).toBeLessThanOrEqual(Math.E);
    await deliverAll();
    expect(await numbersOf(unlucky)).toEqual([1, 2]);
  });

  test('resends an event with the same id when the response arrives too late', {
    timeout: 240_000,
  }, async () => {
    const player = await newPlayer();
    await world.behave('slow');
    await happen(player, 1);
    await world.collect();
    await world.deliver();
    expect(await attemptsOf(player)).toEqual([1]);
    await world.behave('ok');
    await deliverAll();
    const [told] = await world.told({ user_id: String(player.id), type: 'deposit' });
    expect(told!.times).toBe(2);
  });

  test('accepts any response body with a success status', async () => {
    const player = await newPlayer();
    await world.behave('garbage');
    for (const n of upTo(3)) await happen(player, n);
    await world.settle();
    expect(await numbersOf(player)).toEqual(upTo(3));
    const told = await world.told({ user_id: String(player.id), type: 'deposit' });
    expect(told.map(({ times }) => times)).toEqual([1, 1, 1]);
  });
});

describe('dead letters', () => {
  test('creates a dead letter immediately after a 4xx response, delivers later messages, and lets staff retry the dead letter', async () => {
    const player = await newPlayer();
    await world.behave('refuse');
    await happen(player, 1);
    await world.settle();
    await world.behave('ok');
    await happen(player, 2);
    await world.settle();
    expect(await numbersOf(player)).toEqual([2]);
    const [letter] = await letters().list(REDELIVER);
    expect(letter).toMatchObject({
      kind: 'job',
      attempts: 1,
      reason: 'the CRM returned 422',
      data: { userId: player.id, name: 'deposit' },
    });
    const queue = startQueue({
      connectionString: world.app.database.url,
      tasks: { [REDELIVER]: world.app.services.crm.redeliver },
      concurrency: 1,
      log: world.app.services.log.named('jobs'),
    });
    try {
      expect(await letters().act('redrive', { id: letter!.id }, boss.username)).toBe(1);
      await until(async () => (await world.waiting(player)) === 1);
    } finally {
      await queue.close();
    }
    await world.settle();
    expect(await numbersOf(player)).toEqual([2, 1]);
    expect(await letters().list(REDELIVER)).toEqual([]);
    await expect(world.app.services.crm.redeliver({})).rejects.toThrow('is not a message');
  });

  test('creates a dead letter after the tenth failure', async () => {
    const player = await newPlayer();
    await world.behave('busy');
    await happen(player, 1);
    await happen(player, 2);
    await world.collect();
    for (const n of upTo(9)) {
      await world.hurry();
      await world.deliver();
      expect(await attemptsOf(player)).toEqual([n, 0]);
    }
    expect(await letters().list(REDELIVER)).toEqual([]);
    await world.hurry();
    await world.deliver();
    expect(await letters().list(REDELIVER)).toMatchObject([{ attempts: 10, reason: 'the CRM returned 429' }]);
    // In the meantime, one attempt was made to deliver the next message.
    expect(await attemptsOf(player)).toEqual([1]);
    await world.behave('ok');
    await deliverAll();
    expect(await numbersOf(player)).toEqual([2]);
    await letters().act('drop', { queue: REDELIVER }, boss.username);
  });

  test('creates a dead letter when the CRM rejects the signature', async () => {
    const other = await startApp({
      env: { ...world.outside.env, CRM_SECRET: 'not the secret of the CRM' },
      database: world.app.database,
      reconcileOnStop: false,
    });
    const player = await newPlayer();
    await happen(player, 1);
    await world.collect();
    await other.services.crm.delivery.run();
    expect(await letters().list(REDELIVER)).toMatchObject([{ reason: 'the CRM returned 401' }]);
    expect(await numbersOf(player)).toEqual([]);
    await other.stop();
    await letters().act('drop', { queue: REDELIVER }, boss.username);
  });
});

describe('messages from events', () => {
  const idsOf = async ({ id }: Player): Promise<bigint[]> => {
    const { rows } = await world.app.sql<{ id: bigint }>`
      select id from events where user_id = ${id} and name = 'deposit.status' order by id`.execute(
      world.app.db,
    );
    return rows.map((row) => row.id);
  };
  const queued = async ({ id }: Player): Promise<string[]> => {
    const { rows } = await world.app.sql<{ eventId: string }>`
      select event_id as "eventId" from crm_messages where user_id = ${id} order by id`.execute(world.app.db);
    return rows.map(({ eventId }) => eventId);
  };

  test('creates messages once and in order, even in several processes at the same time', async () => {
    const player = await newPlayer();
    const { events } = world.app.services.crm;
    for (const n of upTo(20)) await happen(player, n);
    await until(async () => {
      await Promise.all(upTo(5).map(() => events.createMessages()));
      return !(await events.hasNews());
    });
    expect(await queued(player)).toEqual((await idsOf(player)).map(String));
  });

  test('creates no messages for events that a worker of the previous version has converted', async () => {
    const player = await newPlayer();
    for (const n of upTo(3)) await happen(player, n);
    const ids = await idsOf(player);
    await world.app.sql`update crm_players set position = ${ids[1]!} where user_id = ${player.id}`.execute(
      world.app.db,
    );
    await world.collect();
    expect(await queued(player)).toEqual([String(ids[2])]);
  });

  test('sends no exchange rate for an unknown currency', async () => {
    const player = await newPlayer();
    const data = { depositId: '1', status: 'UNDER_REVIEW', currencyId: 'NONE', amount: '1' } as const;
    await transaction(world.app.db, (tx) =>
      emitEvent(tx, { event: depositEvents['deposit.status'], userId: player.id, data }),
    );
    await world.settle();
    expect(await world.saidOf(player, 'deposit')).toMatchObject([{ currency: 'NONE', exchange_rate: null }]);
  });

  test('counts the waiting messages and reports the age of the oldest one', async () => {
    const player = await newPlayer();
    expect(await world.app.services.crm.backlog()).toEqual({ waiting: 0, oldestSeconds: 0 });
    await happen(player, 1);
    await world.collect();
    await world.app.sql`update crm_messages set created_at = created_at - interval '1 hour'`.execute(
      world.app.db,
    );
    const { waiting, oldestSeconds } = await world.app.services.crm.backlog();
    expect(waiting).toBe(1);
    expect(oldestSeconds).toBeGreaterThanOrEqual(3600);
  });
});

describe('without CRM_URL', () => {
  const cursors = async () => {
    const { rows } = await world.app.sql<{
      name: string;
    }>`select name from cursors where name like 'crm%' order by name`.execute(world.app.db);
    return rows.map(({ name }) => name);
  };

  test('consumes neither bets nor events, and runs no jobs that send messages', async () => {
    const off = await startApp();
    const names = (services: typeof off.services) => ({
      consumers: betConsumers(services).map(({ name }) => name),
      jobs: backoffice.jobs!(services).map(({ name }) => name),
    });
    expect(names(off.services).jobs).toEqual(['statement.marks', 'dashboards.pack', 'crm.purge', 'crm.end']);
    expect(names(off.services).consumers).not.toContain('crm');
    expect(names(world.app.services).jobs).toEqual([
      'statement.marks',
      'dashboards.pack',
      'crm.purge',
      'crm.events',
      'crm.minutes',
      'crm.deliver',
    ]);
    expect(names(world.app.services).consumers).toContain('crm');
    await off.stop();
  });

  test('stops consuming events, keeps the waiting messages, and never sends events that occurred while it was stopped', {
    timeout: 240_000,
  }, async () => {
    const player = await newPlayer();
    await happen(player, 1);
    await world.collect();
    expect(await cursors()).toEqual(['crm', 'crm-events', 'crm-money']);
    await world.app.services.crm.end();
    expect(await cursors()).toEqual([]);
    await happen(player, 2);
    await world.collect();
    expect(await world.waiting(player)).toBe(1);
    await world.app.services.crm.start();
    expect(await cursors()).toEqual(['crm', 'crm-events', 'crm-money']);
    await happen(player, 3);
    await world.settle();
    expect(await numbersOf(player)).toEqual([1, 3]);
  });
});
