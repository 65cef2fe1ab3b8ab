import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Broker } from '../../../src/platform/broker/broker.ts';
import { openNotify, openRabbit } from '../../../src/platform/broker/open.ts';
import { startDatabaseClock } from '../../../src/platform/database/clock.ts';
import { createDb, createPool, type Db, type DbOptions } from '../../../src/platform/database/db.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { silentLog } from '../../../src/platform/observability/log.ts';
import { createTestDatabase } from '../database.ts';
import { until } from '../until.ts';
import { createEffects } from './consume-once.ts';

export type BrokerWorld = Awaited<ReturnType<typeof openWorld>>;

/** Creates a database and opens any number of brokers on it, each as in a separate process. */
export async function openWorld(brokerUrl?: string) {
  const database = await createTestDatabase();
  const timeouts = { connectTimeoutMs: 2000, statementTimeoutMs: 10_000, startTimeoutMs: 10_000 };
  const options: DbOptions = { connectionString: database.url, poolSize: 8, ...timeouts, name: 'test' };
  const pool = createPool(options, silentLog);
  const db: Db = createDb(pool);
  await createEffects(db);
  const closing: (() => Promise<unknown>)[] = [];
  return {
    database,
    db,
    /** The address of RabbitMQ, for consumers outside the platform. */
    url: brokerUrl ?? '',
    async open(): Promise<Broker> {
      const log = silentLog;
      if (brokerUrl !== undefined) {
        const broker = await openRabbit({ brokerUrl, name: 'test', log, publishMs: 1500 });
        closing.push(broker.close);
        return broker;
      }
      const databaseClock = await startDatabaseClock(options, log);
      const broker = openNotify({ db, databaseClock, log });
      closing.push(() => broker.close().then(databaseClock.close));
      return broker;
    },
    /** Registers a function that `closeBrokers` calls. */
    atClose: (close: () => Promise<unknown>) => void closing.push(close),
    closeBrokers: () => Promise.all(closing.splice(0).map((close) => close())),
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

  describe(`${kind}: messages`, () => {
    test('delivers a message unchanged to every process that listens to its pattern', async () => {
      const name = fresh();
      const got: unknown[][] = [[], [], []];
      for (const i of [0, 1])
        await (await world.open()).listen(`${name}.paid`, async (data) => void got[i]!.push(data));
      await (await world.open()).listen(`${name}.other`, async (data) => void got[2]!.push(data));
      const broker = await world.open();
      // The text is longer than a notification of PostgreSQL can be.
      const data = { amount: '1.50', deep: { list: [1, null, 'ü\u0000€'] }, text: '😀'.repeat(10_000) };
      expect((await broker.publish(`${name}.paid`, data)).id).toMatch(/^[\w-]{36}$/);
      expect(await broker.publish(`${name}.paid`, { n: 2 }, { id: 'my-own' })).toEqual({ id: 'my-own' });
      await broker.publishAll([3, 4].map((n) => ({ pattern: `${name}.paid`, data: { n } })));
      await broker.publish(`${name}.other`, {});
      await until(() => got[0]!.length === 4 && got[1]!.length === 4 && got[2]!.length === 1);
      for (const i of [0, 1]) expect(got[i]).toEqual([data, { n: 2 }, { n: 3 }, { n: 4 }]);
    });

    test('delivers later messages after a handler has failed', async () => {
      const name = fresh();
      const got: unknown[] = [];
      const broker = await world.open();
      await broker.listen(name, async (data) => {
        got.push(data);
        if (got.length === 1) throw new Error('no');
      });
      for (const n of [1, 2]) await broker.publish(name, { n });
      await until(() => got.length === 2);
      expect(got).toEqual([{ n: 1 }, { n: 2 }]);
      await broker.check();
    });

    test.each(['', 'a..b', '.a', 'a.', 'a b', 'a.*', '#', 'ä', 'a\nb', 'x'.repeat(201)])(
      'rejects the pattern %j',
      async (pattern) => {
        const broker = await world.open();
        for (const work of [
          broker.publish(pattern, {}),
          broker.request(pattern, {}),
          broker.listen(pattern, async () => undefined),
        ])
          expect(await refusalOf(work)).toMatchObject({ code: 'BROKER_PATTERN_INVALID' });
      },
    );
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
}
