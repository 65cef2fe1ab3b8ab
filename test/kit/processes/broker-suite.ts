import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Broker, Message } from '../../../src/platform/broker/broker.ts';
import { openBroker } from '../../../src/platform/broker/open.ts';
import {
  createDb,
  createPool,
  type Db,
  type DbOptions,
  type Pool,
} from '../../../src/platform/database/db.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { silentLog } from '../../../src/platform/observability/log.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { until } from '../until.ts';
import { consumeOnce, createEffects } from './consume-once.ts';

const CHILD = fileURLToPath(new URL('broker-child.ts', import.meta.url));
const WAITS = { backoffMs: [50, 100, 150, 200], publishMs: 1500 };

export type BrokerWorld = Awaited<ReturnType<typeof openWorld>>;

/** Creates a database and opens any number of brokers on it, each as in a separate process. */
export async function openWorld(brokerUrl?: string) {
  const database: TestDatabase = await createTestDatabase();
  const timeouts = { connectTimeoutMs: 2000, statementTimeoutMs: 10_000 };
  const options: DbOptions = { connectionString: database.url, poolSize: 8, ...timeouts, name: 'test' };
  const pool: Pool = createPool(options, silentLog);
  const db: Db = createDb(pool);
  await createEffects(db);
  const opened: Broker[] = [];
  return {
    database,
    db,
    async open(): Promise<Broker> {
      const parts = { db, connectionString: database.url, name: 'test', log: silentLog, waits: WAITS };
      const broker = await openBroker({ brokerUrl, ...parts });
      opened.push(broker);
      return broker;
    },
    /** Runs a process that subscribes, handles one message and dies before acknowledging it. */
    async dieAfterEffect(queue: string, pattern: string): Promise<void> {
      const env = { QUEUE: queue, PATTERN: pattern, DATABASE: database.url, BROKER_URL: brokerUrl ?? '' };
      const child = spawn(process.execPath, [CHILD], {
        env: { PATH: process.env.PATH, ...env },
        stdio: 'inherit',
      });
      const [, signal] = await once(child, 'close');
      expect(signal).toBe('SIGKILL');
    },
    closeBrokers: () => Promise.all(opened.splice(0).map((broker) => broker.close())),
    async end() {
      await pool.end();
      await database.drop();
    },
  };
}

/** Returns a name that no other test uses, because several tests may share the server. */
const fresh = () => `t${randomBytes(6).toString('hex')}`;

/** Tests that every broker must pass. */
export function brokerSuite(kind: string, createWorld: () => Promise<BrokerWorld>): void {
  let world: BrokerWorld;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterEach(() => world.closeBrokers().then(() => undefined));
  afterAll(() => world.end());

  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing',
      (error: unknown) => (error instanceof AppError ? error : String(error)),
    );
  /** Opens a broker with a queue that records the messages it receives. */
  const listening = async (
    queue: string,
    patterns: string[],
    options?: { maxAttempts?: number; isTemporary?: boolean },
  ) => {
    const broker = await world.open();
    const got: Message[] = [];
    await broker.subscribe(queue, patterns, async (message) => void got.push(message), options);
    return { broker, got };
  };

  describe(`${kind}: publish and subscribe`, () => {
    test('delivers a message unchanged', async () => {
      const name = fresh();
      const { got } = await listening(`${name}.q`, [`${name}.paid`]);
      const before = Date.now();
      const data = { amount: '1.50', deep: { list: [1, null, 'ü\u0000€'] } };
      const { id } = await (await world.open()).publish(`${name}.paid`, data);
      await until(() => got.length === 1);
      expect(got[0]).toMatchObject({ id, pattern: `${name}.paid`, data, attempt: 1, redelivered: false });
      expect(Math.abs(got[0]!.enqueuedAt!.getTime() - before)).toBeLessThan(10_000);
      expect(await (await world.open()).publish(`${name}.paid`, {}, { id: 'my-own' })).toEqual({
        id: 'my-own',
      });
      await until(() => got.length === 2);
      expect(got[1]!.id).toBe('my-own');
    });

    test.each([
      ['a.b', ['a.b'], ['a', 'a.b.c', 'ab', 'a_b', 'a.bb']],
      ['a.*', ['a.b', 'a.c-d'], ['a', 'a.b.c', 'b.a']],
      ['*.b', ['a.b'], ['b', 'a.c', 'a.a.b']],
      ['a.#', ['a', 'a.b', 'a.b.c'], ['b', 'ab', 'b.a']],
      ['#.c', ['c', 'a.c', 'a.b.c'], ['c.a', 'cc']],
      ['a.#.c', ['a.c', 'a.b.c', 'a.b.b.c'], ['a', 'c', 'a.b']],
      ['*.#', ['a', 'a.b'], []],
    ])('the pattern %s', async (bound, matching, others) => {
      const name = fresh();
      // Prefixes each pattern with this test's unique word.
      const own = (pattern: string) => `${name}.${pattern}`;
      const { got, broker } = await listening(`${name}.q`, [own(bound), own('end-of-test')]);
      for (const pattern of [...matching, ...others]) await broker.publish(own(pattern), {});
      await broker.publish(own('end-of-test'), {});
      await until(() => got.at(-1)?.pattern === own('end-of-test'));
      expect(got.slice(0, matching.length).map((m) => m.pattern)).toEqual(matching.map(own));
      // The message that marks the end of a test is received only once, even if the pattern also matches it.
      expect(got).toHaveLength(matching.length + 1);
    });

    test.each(['', 'a..b', '.a', 'a.', 'a b', 'a.*', '#', 'ä', 'a\nb', 'x'.repeat(201)])(
      'rejects the pattern %j',
      async (pattern) => {
        const broker = await world.open();
        expect(await refusalOf(broker.publish(pattern, {}))).toMatchObject({
          code: 'BROKER_PATTERN_INVALID',
        });
        expect(await refusalOf(broker.request(pattern, {}))).toMatchObject({
          code: 'BROKER_PATTERN_INVALID',
        });
      },
    );

    test("delivers a message once per queue and distributes it among the queue's subscribers", async () => {
      const name = fresh();
      const shared = [
        await listening(`${name}.shared`, [`${name}.*`, `${name}.#`, `${name}.a`]),
        await listening(`${name}.shared`, [`${name}.*`]),
      ];
      const { got: other } = await listening(`${name}.other`, [`${name}.a`]);
      const broker = await world.open();
      for (let i = 0; i < 40; i++) await broker.publish(`${name}.a`, { i });
      await until(() => other.length === 40);
      await until(() => shared[0]!.got.length + shared[1]!.got.length === 40);
      const all = shared.flatMap(({ got }) => got).map(({ data }) => (data as { i: number }).i);
      expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i));
      for (const { got } of shared) expect(got.length).toBeGreaterThan(0);
    });

    test('delivers messages published without a subscriber later and in order', async () => {
      const name = fresh();
      const first = await listening(`${name}.q`, [`${name}.n`]);
      await first.broker.close();
      const messages = Array.from({ length: 500 }, (_, i) => ({ pattern: `${name}.n`, data: { i } }));
      await (await world.open()).publishAll(messages);
      const { got } = await listening(`${name}.q`, [`${name}.n`]);
      await until(() => got.length === 500);
      expect(got.map(({ data }) => (data as { i: number }).i)).toEqual(messages.map((m) => m.data.i));
    });

    test('delivers messages that a process has not started to handle to other processes when it ends', async () => {
      const name = fresh();
      const broker = await world.open();
      const handled: string[] = [];
      const begun = Promise.withResolvers<void>();
      const finish = Promise.withResolvers<void>();
      await broker.subscribe(`${name}.q`, [`${name}.n`], async ({ id }) => {
        begun.resolve();
        await finish.promise;
        handled.push(id);
      });
      for (const id of ['1', '2', '3']) await (await world.open()).publish(`${name}.n`, {}, { id });
      await begun.promise;
      const closed = broker.close();
      finish.resolve();
      await closed;
      expect(handled).toEqual(['1']);
      const { got } = await listening(`${name}.q`, [`${name}.n`]);
      await until(() => got.length === 2);
      expect(got.map(({ id }) => id)).toEqual(['2', '3']);
      expect(got.map(({ attempt }) => attempt)).toEqual([1, 1]);
    });

    test('deletes a temporary queue when its subscriber ends', async () => {
      const name = fresh();
      const { broker, got } = await listening(`${name}.q`, [`${name}.n`], { isTemporary: true });
      const other = await world.open();
      await other.publish(`${name}.n`, {});
      await until(() => got.length === 1);
      expect(await other.info(`${name}.q`)).toEqual({ messageCount: 0, consumerCount: 1 });
      await broker.close();
      await until(async () => (await other.info(`${name}.q`)) === undefined);
    });
  });

  describe(`${kind}: failures`, () => {
    test('stores a malformed message as a dead letter, which can be retried, and handles the other messages', async () => {
      const name = fresh();
      const done = new Set<number>();
      const tries: number[] = [];
      const attempts: number[] = [];
      let isMended = false;
      const broker = await world.open();
      await broker.subscribe(`${name}.q`, [`${name}.n`], async ({ data, attempt }) => {
        const { i } = data as { i: number | string };
        if (typeof i === 'string' && !isMended) {
          tries.push(performance.now());
          attempts.push(attempt);
          throw new Error('i is not a number');
        }
        done.add(Number(i));
      });
      const messages = Array.from({ length: 1000 }, (_, i) => ({
        pattern: `${name}.n`,
        data: { i: i === 300 ? '300' : i },
      }));
      await broker.publishAll(messages);
      const letters = async () => (await broker.dead.list(1000)).filter(({ queue }) => queue === `${name}.q`);
      await until(async () => done.size === 999 && (await letters()).length === 1);
      expect(attempts).toEqual([1, 2, 3, 4, 5]);
      const gaps = tries.slice(1).map((at, i) => at - tries[i]!);
      for (const [i, atLeast] of WAITS.backoffMs.entries())
        expect(gaps[i]).toBeGreaterThanOrEqual(atLeast - 5);
      const [letter] = await letters();
      expect(letter).toMatchObject({
        pattern: `${name}.n`,
        data: { i: '300' },
        attempts: 5,
        reason: 'i is not a number',
      });
      expect(letter!.diedAt!.getTime()).toBeGreaterThan(Date.now() - 60_000);
      expect(await broker.dead.count()).toBeGreaterThanOrEqual(1);
      expect(await broker.info(`${name}.q`)).toEqual({ messageCount: 0, consumerCount: 1 });

      isMended = true;
      expect(await broker.dead.redrive(letter!.id)).toBe(true);
      await until(() => done.has(300));
      expect(await letters()).toEqual([]);
      expect(await broker.dead.redrive(letter!.id)).toBe(false);
    });

    test('handles later messages after a failed one, and drops a dead letter', async () => {
      const name = fresh();
      const got: string[] = [];
      const broker = await world.open();
      const handle = async ({ id }: Message) => {
        got.push(id);
        if (id.endsWith('bad')) throw new Error('no');
      };
      await broker.subscribe(`${name}.q`, [`${name}.n`], handle, { maxAttempts: 2 });
      for (const id of ['1', 'bad', '2']) await broker.publish(`${name}.n`, {}, { id: `${name}-${id}` });
      const letters = async () => (await broker.dead.list(1000)).filter(({ queue }) => queue === `${name}.q`);
      await until(async () => (await letters()).length === 1);
      expect(got).toEqual(['1', 'bad', '2', 'bad'].map((id) => `${name}-${id}`));
      const [letter] = await letters();
      expect(letter!.messageId).toBe(`${name}-bad`);
      expect(await broker.dead.drop(letter!.id)).toBe(true);
      expect(await letters()).toEqual([]);
      expect(await broker.dead.drop(letter!.id)).toBe(false);
    });

    const effectsOf = async (id: string) => {
      const { rows } = await sql`select id from effects where message_id = ${id}`.execute(world.db);
      return rows.length;
    };
    const consumeInto = (broker: Broker, queue: string, pattern: string, came: string[]) =>
      consumeOnce(broker, world.db, { queue, pattern }, async (_tx, id) => void came.push(id));

    test('applies the effect once when a consumer is killed before it acknowledges the message', async () => {
      const name = fresh();
      const first = await listening(`${name}.q`, [`${name}.n`]);
      await first.broker.close();
      const broker = await world.open();
      await broker.publish(`${name}.n`, {}, { id: `${name}-1` });
      await world.dieAfterEffect(`${name}.q`, `${name}.n`);
      expect(await effectsOf(`${name}-1`)).toBe(1);
      const deliveries: Message[] = [];
      const spy: Broker = {
        ...broker,
        subscribe: (queue, patterns, handle, options) =>
          broker.subscribe(
            queue,
            patterns,
            async (message) => {
              await handle(message);
              deliveries.push(message);
            },
            options,
          ),
      };
      const came: string[] = [];
      await consumeInto(spy, `${name}.q`, `${name}.n`, came);
      await until(() => deliveries.length === 1);
      expect(deliveries[0]).toMatchObject({ id: `${name}-1`, redelivered: true });
      expect(came).toEqual([]);
      expect(await effectsOf(`${name}-1`)).toBe(1);
    });

    test('applies the effect of a message once per queue when it is published repeatedly', async () => {
      const name = fresh();
      const broker = await world.open();
      const came: string[] = [];
      await consumeInto(broker, `${name}.q`, `${name}.n`, came);
      await consumeInto(broker, `${name}.p`, `${name}.n`, came);
      for (let i = 0; i < 3; i++) await broker.publish(`${name}.n`, {}, { id: `${name}-1` });
      await broker.publish(`${name}.n`, {}, { id: `${name}-2` });
      await until(() => came.filter((id) => id === `${name}-2`).length === 2);
      expect(came.filter((id) => id === `${name}-1`)).toHaveLength(2);
      expect(await effectsOf(`${name}-1`)).toBe(2);
    });

    test('redelivers the message when the effect fails', async () => {
      const name = fresh();
      const broker = await world.open();
      let tries = 0;
      await consumeOnce(broker, world.db, { queue: `${name}.q`, pattern: `${name}.n` }, async () => {
        if (++tries < 3) throw new Error('not yet');
      });
      const { id } = await broker.publish(`${name}.n`, {});
      await until(() => tries === 3);
      await until(async () => (await effectsOf(id)) === 1);
      expect(await broker.info(`${name}.q`)).toEqual({ messageCount: 0, consumerCount: 1 });
    });
  });

  describe(`${kind}: requests`, () => {
    test('sends each request to one of the responders', async () => {
      const name = fresh();
      const asked = [0, 0];
      for (const i of [0, 1])
        await (await world.open()).respond(`${name}.double`, async (data) => {
          asked[i]!++;
          await sleep(20);
          return { doubled: (data as { n: number }).n * 2 };
        });
      const broker = await world.open();
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => broker.request(`${name}.double`, { n })),
      );
      expect(answers).toEqual(Array.from({ length: 40 }, (_, n) => ({ doubled: n * 2 })));
      expect(asked[0]! + asked[1]!).toBe(40);
      await broker.respond(`${name}.nothing`, async () => undefined);
      expect(await broker.request(`${name}.nothing`, {})).toBeNull();
    });

    test("returns the responder's error, but hides details of unexpected errors", async () => {
      const name = fresh();
      const broker = await world.open();
      await broker.respond(`${name}.refuse`, async () => {
        throw new AppError(404, 'ROOM_NOT_FOUND', 'No such room.', { room: 'x' });
      });
      await broker.respond(`${name}.break`, async () => {
        throw new Error('secret inside');
      });
      expect(await refusalOf(broker.request(`${name}.refuse`, {}))).toMatchObject({
        code: 'BROKER_REFUSED',
        details: { code: 'ROOM_NOT_FOUND', message: 'No such room.', details: { room: 'x' } },
      });
      const broken = (await refusalOf(broker.request(`${name}.break`, {}))) as AppError;
      expect(broken.code).toBe('BROKER_REFUSED');
      expect(JSON.stringify(broken.details)).not.toContain('secret');
    });

    test('fails when there is no responder, or when it responds too late', async () => {
      const name = fresh();
      const broker = await world.open();
      expect(await refusalOf(broker.request(`${name}.nobody`, {}))).toMatchObject({
        code: 'BROKER_NO_RESPONDER',
      });
      const answers: unknown[] = [];
      await broker.respond(`${name}.slow`, async () => {
        await sleep(400);
        answers.push('late');
        return 'late';
      });
      const started = performance.now();
      expect(await refusalOf(broker.request(`${name}.slow`, {}, { timeoutMs: 150 }))).toMatchObject({
        code: 'BROKER_TIMEOUT',
      });
      expect(performance.now() - started).toBeLessThan(390);
      await until(() => answers.length === 1);
      expect(await broker.request(`${name}.slow`, {})).toBe('late');
    });

    test('sends no requests to a responder that has closed', async () => {
      const name = fresh();
      const responder = await world.open();
      await responder.respond(`${name}.r`, async () => 'here');
      const broker = await world.open();
      expect(await broker.request(`${name}.r`, {})).toBe('here');
      await responder.close();
      expect(await refusalOf(broker.request(`${name}.r`, {}))).toMatchObject({
        code: 'BROKER_NO_RESPONDER',
      });
    });
  });

  describe(`${kind}: queues`, () => {
    test('counts, peeks at and purges the messages of a queue, and keeps their order', async () => {
      const name = fresh();
      const { broker } = await listening(`${name}.q`, [`${name}.n`]);
      expect(await broker.info(`${name}.q`)).toEqual({ messageCount: 0, consumerCount: 1 });
      await broker.close();
      const other = await world.open();
      await until(async () => (await other.info(`${name}.q`))?.consumerCount === 0);
      await other.publishAll(
        Array.from({ length: 5 }, (_, i) => ({ pattern: `${name}.n`, data: { i }, id: `${i}` })),
      );
      expect(await other.info(`${name}.q`)).toEqual({ messageCount: 5, consumerCount: 0 });
      for (let turn = 0; turn < 2; turn++) {
        const seen = (await other.peek(`${name}.q`, 3))!;
        expect(seen.map(({ id, data }) => [id, data])).toEqual([0, 1, 2].map((i) => [`${i}`, { i }]));
        expect(seen[0]!.enqueuedAt).toBeInstanceOf(Date);
      }
      expect((await other.peek(`${name}.q`, 100))!.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4']);
      await until(async () => (await other.info(`${name}.q`))?.messageCount === 5);
      expect(await other.purge(`${name}.q`)).toBe(5);
      expect(await other.purge(`${name}.q`)).toBe(0);
      expect(await other.peek(`${name}.q`, 3)).toEqual([]);
    });

    test('returns undefined for a missing queue', async () => {
      const broker = await world.open();
      const name = fresh();
      expect(await broker.info(name)).toBeUndefined();
      expect(await broker.purge(name)).toBeUndefined();
      expect(await broker.peek(name, 1)).toBeUndefined();
      // The broker still works after requests for a missing queue.
      await broker.publish(`${name}.a`, {});
      expect(await broker.info(name)).toBeUndefined();
    });

    test('stores only the newest messages of a queue with a length limit', async () => {
      const name = fresh();
      const broker = await world.open();
      await broker.declare(`${name}.q`, [`${name}.#`], { most: 3 });
      await broker.declare(`${name}.q`, [`${name}.#`], { most: 3 });
      for (let i = 0; i < 6; i++) await broker.publish(`${name}.n`, {}, { id: `${i}` });
      expect((await broker.peek(`${name}.q`, 10))!.map(({ id }) => id)).toEqual(['3', '4', '5']);
    });
  });
}
