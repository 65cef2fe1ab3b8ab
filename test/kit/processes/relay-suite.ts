import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emitEvent } from '../../../src/modules/base/events/service.ts';
import { createIdsTaken } from '../../../src/modules/money/ledger/safe-watermark.ts';
import { depositEvents } from '../../../src/modules/money/payments/deposits/schemas.ts';
import { relay as relayModule } from '../../../src/modules/operations/relay/module.ts';
import { createRelay } from '../../../src/modules/operations/relay/service.ts';
import type { Broker, Message } from '../../../src/platform/broker/broker.ts';
import { transaction } from '../../../src/platform/database/db.ts';
import { type Jobs, startJobs } from '../../../src/platform/jobs/jobs.ts';
import { silentLog } from '../../../src/platform/observability/log.ts';
import { until } from '../until.ts';
import type { BrokerWorld } from './broker-suite.ts';
import { consumeOnce } from './consume-once.ts';

/** Starts a worker whose only task is to relay events. */
export function startRelay(world: BrokerWorld, broker: Broker): Jobs {
  const relay = createRelay({ db: world.db, broker, log: silentLog });
  return startJobs(
    relayModule.jobs!({ relay, idsTaken: createIdsTaken(world.db), metrics: { watch() {} } }),
    {
      db: world.db,
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
export const consume = (world: BrokerWorld, broker: Broker, queue: string): Promise<void> =>
  consumeOnce(broker, world.db, { queue, pattern: 'deposit.*' });

export async function effects(world: BrokerWorld): Promise<string[]> {
  const { rows } = await sql<{ message_id: string }>`select message_id from effects order by id`.execute(
    world.db,
  );
  return rows.map((row) => row.message_id);
}

/** Tests of the relay that must pass with every broker. */
export function relaySuite(kind: string, createWorld: () => Promise<BrokerWorld>): void {
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

  describe(`${kind}: events`, () => {
    test('relays events in the order of their ids when one commits late', async () => {
      const broker = await world.open();
      const got: Message[] = [];
      await broker.subscribe(
        `relay.order.${randomUUID()}`,
        ['deposit.#'],
        async (message) => void got.push(message),
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
      const ids = got.map(({ id }) => BigInt(id));
      expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(got[0]).toMatchObject({
        pattern: 'deposit.status',
        data: { userId: 1, room: 'user', data: { depositId: '-1', status: 'COMPLETED', amount: '1' } },
      });
      expect((got[0]!.data as { at: string }).at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      await until(async () => (await createRelay({ db: world.db, broker, log: silentLog }).lag()) === 0);
    });

    test('relays events with one of three workers, and with another one when that worker ends', async () => {
      const broker = await world.open();
      await consume(world, broker, `relay.workers.${randomUUID()}`);
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
  });
}
