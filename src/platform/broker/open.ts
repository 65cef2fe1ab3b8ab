import { randomUUID } from 'node:crypto';
import type { Db } from '../database/db.ts';
import type { Primary } from '../database/replica/primary.ts';
import type { Log } from '../observability/log.ts';
import { type Broker, type Driver, type NewMessage, WAITS, type Waits } from './broker.ts';
import { assertBindings, assertPattern } from './patterns.ts';
import { createPostgresDriver } from './postgres.ts';
import { createRpc } from './rpc.ts';

const MAX_ATTEMPTS = 5;

/** Opens the broker of a process: RabbitMQ if `brokerUrl` is set, otherwise PostgreSQL. Connections open on first use. */
export async function openBroker(parts: {
  brokerUrl: string | undefined;
  db: Db;
  connectionString: string;
  primary?: Primary;
  name: string;
  log: Log;
  waits?: Waits;
}): Promise<Broker> {
  const { brokerUrl, log, waits = WAITS } = parts;
  if (brokerUrl === undefined) return createBroker(createPostgresDriver({ ...parts, waits }), log);
  const { createRabbitDriver } = await import('./rabbitmq.ts');
  return createBroker(createRabbitDriver({ ...parts, brokerUrl, waits }), log);
}

function createBroker(driver: Driver, log: Log): Broker {
  const publishAll = async (messages: readonly NewMessage[]) => {
    for (const { pattern } of messages) assertPattern(pattern);
    const published = messages.map((message) => ({ ...message, id: message.id ?? randomUUID() }));
    if (published.length > 0) await driver.publish(published);
  };
  return {
    ...createRpc(driver, log),
    publishAll,
    async publish(pattern, data, { id = randomUUID() } = {}) {
      await publishAll([{ pattern, data, id }]);
      return { id };
    },
    async subscribe(queue, patterns, handle, { maxAttempts = MAX_ATTEMPTS, isTemporary = false } = {}) {
      assertPattern(queue);
      assertBindings(patterns);
      await driver.subscribe({ queue, patterns, handle, maxAttempts, isTemporary });
    },
    async declare(queue, patterns, { most }) {
      assertPattern(queue);
      assertBindings(patterns);
      await driver.declare({ queue, patterns, most });
    },
    info: driver.info,
    purge: driver.purge,
    peek: driver.peek,
    dead: driver.dead,
    close: driver.close,
  };
}
