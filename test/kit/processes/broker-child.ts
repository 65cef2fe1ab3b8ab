/** A process that subscribes, handles one message, and dies before it acknowledges the message (see broker-suite.ts). */
import type { Broker } from '../../../src/platform/broker/broker.ts';
import { openBroker } from '../../../src/platform/broker/open.ts';
import { createDb, createPool } from '../../../src/platform/database/db.ts';
import { silentLog } from '../../../src/platform/observability/log.ts';
import { consumeOnce } from './consume-once.ts';

const { QUEUE = '', PATTERN = '', DATABASE = '', BROKER_URL } = process.env;
const timeouts = { connectTimeoutMs: 5000, statementTimeoutMs: 10_000 };
const connection = { connectionString: DATABASE, name: 'child' };
const db = createDb(createPool({ ...connection, poolSize: 2, ...timeouts }, silentLog));
const broker = await openBroker({ ...connection, brokerUrl: BROKER_URL || undefined, db, log: silentLog });
const dying: Pick<Broker, 'subscribe'> = {
  subscribe: (queue, patterns, handle, options) =>
    broker.subscribe(
      queue,
      patterns,
      async (message) => {
        await handle(message);
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => undefined);
      },
      options,
    ),
};
await consumeOnce(dying, db, { queue: QUEUE, pattern: PATTERN });
setTimeout(() => process.exit(3), 30_000);
