import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { AsyncMessage } from 'rabbitmq-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emitEvent } from '../../../src/modules/base/events/service.ts';
import { createIdsTaken } from '../../../src/modules/money/ledger/safe-watermark.ts';
import { depositEvents } from '../../../src/modules/money/payments/deposits/schemas.ts';
import { relay as relayModule } from '../../../src/modules/operations/relay/module.ts';
import { createRelay } from '../../../src/modules/operations/relay/service.ts';
import type { Broker } from '../../../src/platform/broker/broker.ts';
import { transaction } from '../../../src/platform/database/db.ts';
import { type Jobs, startJobs } from '../../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../../src/platform/observability/log.ts';
import { until } from '../until.ts';
import type { BrokerWorld } from './broker-suite.ts';
import { consume, consumeOnce } from './consume-once.ts';

/** Starts a worker whose only task is to relay events. */
export function startRelay(world: BrokerWorld, broker: Broker): Jobs {
  const relay = createRelay({ db: world.db, broker, log: silentLog });
  return startJobs(
    relayModule.jobs!({
      relay,
      idsTaken: createIdsTaken(world.db),
      metrics: { watch() {} },
      config: { BROKER_URL: world.url },
    }),
    {
      connectionString: world.database.url,
      log: silentLog,
    },
  );
}

const deposit = (userId: number, n: number) =>
  ({
    event: depositEvents['deposit.status'],
    userId,
    data: { depositId: String(n), status: 'COMPLETED', currencyId: 'USDT', amount: '1' },
  }) as const;

/** Emits events, each in its own transaction. Returns their ids in order. */
export async function happen(world: BrokerWorld, userId: number, count: number): Promise<string[]> {
  for (let n = 0; n < count; n++) await transaction(world.db, (tx) => emitEvent(tx, deposit(userId, n)));
  const { rows } = await sql<{ id: bigint }>`
    select id from events where user_id = ${userId} order by id`.execute(world.db);
  return rows.map(({ id }) => String(id));
}

/** Consumes each event once. `effects` returns them in order. */
export const consumeDeposits = async ({ db, url, atClose }: BrokerWorld, queue: string): Promise<void> =>
  atClose(await consumeOnce(db, { url, queue, pattern: 'deposit.*' }));

export async function effects(world: BrokerWorld): Promise<string[]> {
  const { rows } = await sql<{ message_id: string }>`select message_id from effects order by id`.execute(
    world.db,
  );
  return rows.map((row) => row.message_id);
}

/** Tests of the relay. */
export function relaySuite(createWorld: () => Promise<BrokerWorld>): void {
  let world: BrokerWorld;
  const relays: Jobs[] = [];
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(async () => {
    await Promise.all(relays.splice(0).map((jobs) => jobs.close()));
    await world.closeBrokers();
    await world.end();
  });

  describe('RabbitMQ: events', () => {
    test('relays events in the order of their ids when one commits late', async () => {
      const broker = await world.open();
      const got: AsyncMessage[] = [];
      const queue = `relay.order.${randomUUID()}`;
      world.atClose(
        await consume({ url: world.url, queue, pattern: 'deposit.#' }, (message) => got.push(message)),
      );
      relays.push(startRelay(world, broker));
      const held = Promise.withResolvers<void>();
      const written = Promise.withResolvers<void>();
      const late = transaction(world.db, async (tx) => {
        await emitEvent(tx, deposit(1, -1));
        written.resolve();
        await held.promise;
      });
      try {
        await Promise.race([written.promise, late]);
        await happen(world, 1, 20);
        await new Promise((resolve) => setTimeout(resolve, 600));
        expect(got).toEqual([]);
      } finally {
        held.resolve();
        await late;
      }
      await until(() => got.length === 21);
      const ids = got.map(({ messageId }) => BigInt(messageId!));
      expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(got[0]).toMatchObject({
        routingKey: 'deposit.status',
        body: { userId: 1, room: 'user', data: { depositId: '-1', status: 'COMPLETED', amount: '1' } },
      });
      expect(got[0]!.body.at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      await until(async () => (await createRelay({ db: world.db, broker, log: silentLog }).lag()) === 0);
    });

    test('relays events with one of three workers, and with another one when that worker ends', async () => {
      await consumeDeposits(world, `relay.workers.${randomUUID()}`);
      const three = await Promise.all([0, 1, 2].map(async () => startRelay(world, await world.open())));
      relays.push(...three);
      const first = await happen(world, 2, 60);
      await until(async () => (await effects(world)).length === 60);
      await three[0]!.close();
      const all = await happen(world, 2, 60);
      await until(async () => (await effects(world)).length === 120);
      expect(await effects(world)).toEqual(all);
      expect(all.slice(0, 60)).toEqual(first);
    });

    test('publishes no events from the time without RabbitMQ when RabbitMQ is configured later', async () => {
      const broker = await world.open();
      await consumeDeposits(world, `relay.later.${randomUUID()}`);
      const relay = createRelay({ db: world.db, broker, log: silentLog });
      await relay.turnOff();
      await happen(world, 3, 2);
      await relay.turn();
      const [last] = (await happen(world, 4, 1)).slice(-1);
      await until(async () => {
        await relay.turn();
        return (await effects(world)).includes(last!);
      });
      expect(await effects(world)).toEqual([last]);
    });
  });
}
