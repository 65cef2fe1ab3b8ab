import { sql } from 'kysely';
import { type AsyncMessage, Connection } from 'rabbitmq-client';
import { type Db, transaction } from '../../../src/platform/database/db.ts';

/** Creates the table for `consumeOnce`, which records each queue's effects. */
export const createEffects = (db: Db) =>
  sql`create table effects (id bigint generated always as identity, queue text not null, message_id text not null,
    unique (queue, message_id))`.execute(db);

type Queue = { url: string; queue: string; pattern: string };

/** Consumes events from RabbitMQ as an operator's program does: from a durable queue of its own. Returns a function that stops it. */
export async function consume(
  { url, queue, pattern }: Queue,
  handle: (message: AsyncMessage) => unknown,
): Promise<() => Promise<void>> {
  const connection = new Connection({ url, retryLow: 100, retryHigh: 2000 });
  connection.on('error', () => undefined);
  const consumer = connection.createConsumer(
    {
      queue,
      queueOptions: { durable: true },
      exchanges: [{ exchange: 'croupier', type: 'topic', durable: true }],
      queueBindings: [{ exchange: 'croupier', routingKey: pattern }],
      concurrency: 1,
    },
    async (message) => void (await handle(message)),
  );
  consumer.on('error', () => undefined);
  await new Promise<void>((resolve) => consumer.on('ready', resolve));
  return async () => {
    await consumer.close();
    await connection.close();
  };
}

/** Starts an idempotent consumer. It stores the message id together with its effect, so the effect happens only once. */
export const consumeOnce = (db: Db, queue: Queue): Promise<() => Promise<void>> =>
  consume(queue, ({ messageId = '' }) =>
    transaction(db, (tx) =>
      sql`insert into effects (queue, message_id) values (${queue.queue}, ${messageId}) on conflict do nothing`.execute(
        tx,
      ),
    ),
  );
