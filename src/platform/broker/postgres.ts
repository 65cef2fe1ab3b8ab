import { type Db, transaction } from '../database/db.ts';
import { isUnavailable } from '../database/errors.ts';
import type { Primary } from '../database/replica/primary.ts';
import type { Log } from '../observability/log.ts';
import { brokerErrors, type Driver, type Waits } from './broker.ts';
import { createConsumers } from './postgres-consumers.ts';
import * as queries from './postgres-queries.ts';

/**
 * Creates the broker driver for PostgreSQL. A process that consumes messages has one dedicated connection. Everything else uses the pool.
 */
export function createPostgresDriver(parts: {
  db: Db;
  connectionString: string;
  primary?: Primary;
  name: string;
  log: Log;
  waits: Waits;
}): Driver {
  const { db, waits } = parts;
  const consumers = createConsumers(parts);
  return {
    publish: (messages) => available(transaction(db, (tx) => queries.enqueue(tx, messages))),
    subscribe: ({ isTemporary, ...form }) =>
      available(consumers.add({ ...form, lasts: !isTemporary, concurrency: 1, backoffMs: waits.backoffMs })),
    declare: (form) => available(transaction(db, (tx) => queries.declareQueue(tx, { ...form, lasts: true }))),
    info: (queue) => available(queries.infoOf(db, queue)),
    async purge(queue) {
      if (!(await available(queries.infoOf(db, queue)))) return undefined;
      return available(queries.purgeQueue(db, queue));
    },
    async peek(queue, count) {
      if (!(await available(queries.infoOf(db, queue)))) return undefined;
      return (await available(queries.peekAt(db, queue, count))).map(queries.messageOf);
    },
    dead: {
      count: () => available(queries.countDead(db)),
      list: (most) => available(queries.listDead(db, most)),
      redrive: (id) => available(queries.redriveDead(db, id)),
      drop: (id) => available(queries.dropDead(db, id)),
    },
    receive: (queue, concurrency, handle) =>
      available(
        consumers.add({
          queue,
          patterns: [],
          lasts: false,
          concurrency,
          maxAttempts: 1,
          backoffMs: [],
          handle: ({ id, pattern, data, headers }) =>
            handle({ id, pattern, data, replyTo: headers.replyTo as string | undefined }),
        }),
      ),
    sendTo: (queue, { replyTo, ...letter }, ttlMs) =>
      available(queries.enqueueDirectly(db, { ...letter, queue, headers: { replyTo }, ttlMs })),
    close: consumers.close,
  };
}

/** Converts an error about an unavailable database to an error about an unavailable broker. */
async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isUnavailable(error) ? brokerErrors.BROKER_UNAVAILABLE() : error;
  }
}
