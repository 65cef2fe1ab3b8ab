import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFull } from '../kit/length.ts';
import { type BrokerWorld, brokerSuite, openWorld } from '../kit/processes/broker-suite.ts';
import { consume } from '../kit/processes/consume-once.ts';
import { startFaultProxy } from '../kit/processes/fault-proxy.ts';
import { startRabbit } from '../kit/processes/rabbitmq.ts';
import { consumeDeposits, effects, happen, relaySuite, startRelay } from '../kit/processes/relay-suite.ts';
import { until } from '../kit/until.ts';

const AWAY_MS = isFull ? 30_000 : 3000;

let rabbit: Awaited<ReturnType<typeof startRabbit>>;
beforeAll(async () => {
  rabbit = await startRabbit();
});
afterAll(() => rabbit.end());

brokerSuite('RabbitMQ', () => openWorld(rabbit.url));
relaySuite(() => openWorld(rabbit.url));

/** Each test uses unique queue names, because the server keeps queues after a test. */
const fresh = (name: string) => `${name}.${randomUUID()}`;

describe('RabbitMQ: outages', () => {
  const within = async (brokerUrl: string, work: (world: BrokerWorld) => Promise<void>) => {
    const world = await openWorld(brokerUrl);
    try {
      await work(world);
    } finally {
      await world.closeBrokers();
      await world.end();
    }
  };

  test("delivers events written during an outage within ten seconds of the server's return, with one effect each", () =>
    within(rabbit.url, async (world) => {
      const publisher = await world.open();
      await consumeDeposits(world, fresh('f10.away'));
      const relay = startRelay(world, publisher);
      try {
        await happen(world, 1, 50);
        await until(async () => (await effects(world)).length === 50);

        await rabbit.stop();
        let all: string[];
        try {
          const since = performance.now();
          const refusal = await publisher.publish('deposit.status', {}).catch((error: unknown) => error);
          expect(refusal).toMatchObject({ code: 'BROKER_UNAVAILABLE', status: 503 });
          expect(performance.now() - since).toBeLessThan(5000);
          all = await happen(world, 1, 300);
          await sleep(AWAY_MS);
          expect(await effects(world)).toHaveLength(50);
        } finally {
          await rabbit.start();
        }
        const back = performance.now();
        await until(async () => (await effects(world)).length === 350);
        expect(performance.now() - back).toBeLessThan(10_000);
        expect(new Set(await effects(world))).toEqual(new Set(all));
      } finally {
        await relay.close();
      }
    }));

  test('publishes events again when confirmations are lost, with one effect for each event', async () => {
    const proxy = await startFaultProxy({ target: { host: '127.0.0.1', port: rabbit.port } });
    const world = await openWorld(rabbit.url);
    const behind = await openWorld(`amqp://guest:guest@127.0.0.1:${proxy.port}`);
    try {
      const seen: string[] = [];
      const seenBy = { url: rabbit.url, queue: fresh('f10.seen'), pattern: 'deposit.*' };
      world.atClose(await consume(seenBy, ({ messageId = '' }) => seen.push(messageId)));
      const publisher = await behind.open();
      await publisher.publish('f10.opens', {});
      await consumeDeposits({ ...behind, url: rabbit.url }, fresh('f10.confirms'));
      const all = await happen(behind, 2, 40);
      // The events reach the server, but its confirmations are lost.
      proxy.mode('drop-reply');
      const relay = startRelay(behind, publisher);
      try {
        await until(() => seen.length >= 40);
        await sleep(500);
        proxy.mode('pass');
        await until(() => seen.length >= 80);
        await until(async () => (await effects(behind)).length === 40);
        await sleep(300);
        expect(await effects(behind)).toEqual(all);
      } finally {
        proxy.mode('pass');
        await relay.close();
      }
    } finally {
      await Promise.all([world.closeBrokers(), behind.closeBrokers()]);
      await Promise.all([world.end(), behind.end()]);
      await proxy.stop();
    }
  });

  test('resumes responders and listeners when the server is back', () =>
    within(rabbit.url, async (world) => {
      const got: unknown[] = [];
      const broker = await world.open();
      const other = await world.open();
      const back = fresh('back');
      await broker.listen(`${back}.again`, async (data) => void got.push(data));
      await broker.respond(`${back}.ask`, async () => 'here');
      expect(await other.request(`${back}.ask`, {})).toBe('here');
      await rabbit.stop();
      await expect(other.check()).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
      await rabbit.start();
      await until(() =>
        other.request(`${back}.ask`, {}, { timeoutMs: 300 }).then(
          () => true,
          () => false,
        ),
      );
      await until(async () => {
        await other.publish(`${back}.again`, { n: 1 });
        return got.length > 0;
      });
    }));
});
