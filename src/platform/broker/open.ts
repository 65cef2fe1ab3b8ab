import { randomUUID } from 'node:crypto';
import type { DatabaseClock } from '../database/clock.ts';
import type { Db } from '../database/db.ts';
import type { Log } from '../observability/log.ts';
import { assertPattern, type Broker, type Driver, type NewMessage } from './broker.ts';
import { createNotifyDriver } from './notify.ts';
import { createRpc } from './rpc.ts';

/** Longest time a publisher waits for an unresponsive RabbitMQ. */
const PUBLISH_MS = 3000;

/** Opens the RabbitMQ broker of a process. The connection opens on first use. */
export async function openRabbit(parts: {
  brokerUrl: string;
  name: string;
  log: Log;
  publishMs?: number;
}): Promise<Broker> {
  const { createRabbitDriver } = await import('./rabbitmq.ts');
  return createBroker(createRabbitDriver({ publishMs: PUBLISH_MS, ...parts }), parts.log);
}

/** Opens the broker that is used without RabbitMQ. Only running processes receive its messages. */
export const openNotify = (parts: {
  db: Db;
  databaseClock: Pick<DatabaseClock, 'onNotice'>;
  log: Log;
}): Broker => createBroker(createNotifyDriver(parts), parts.log);

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
    async listen(pattern, handle) {
      assertPattern(pattern);
      await driver.listen(pattern, (data) =>
        handle(data).catch((error: unknown) =>
          log.warn({ pattern, error: String(error) }, 'a message could not be handled'),
        ),
      );
    },
    check: driver.check,
    close: driver.close,
  };
}
