import { randomUUID } from 'node:crypto';
import { type AsyncMessage, type Consumer, type ConsumerProps, ConsumerStatus } from 'rabbitmq-client';
import { within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { type Driver, reasonOf } from './broker.ts';
import { createLink, EXCHANGE, type Link } from './rabbitmq-link.ts';

const CLOSE_MS = 5000;
const DECLARED_MS = 3000;
/**
 * A process's own queue is deleted with its last consumer. If the server is unavailable at that time, the queue is deleted a minute later.
 */
const TEMPORARY = { durable: true, autoDelete: true, arguments: { 'x-expires': 60_000 } };

/**
 * Creates the broker driver for RabbitMQ. The connection opens on first use and reopens when it breaks. A message is considered published
 * once the server has confirmed it. External programs bind their own queues to the exchange. The platform's own queues are temporary.
 */
export function createRabbitDriver(parts: {
  brokerUrl: string;
  name: string;
  log: Log;
  publishMs: number;
}): Driver {
  const link = createLink(parts);
  const consumers = createConsumers(link, parts.log);
  return {
    async publish(messages) {
      const timestamp = Math.floor(Date.now() / 1000);
      await link.send(
        messages.map(({ pattern, data, id }) => ({
          envelope: { messageId: id, timestamp, exchange: EXCHANGE.exchange, routingKey: pattern },
          body: data,
        })),
      );
    },
    listen(pattern, handle) {
      const queue = `listen.${randomUUID()}`;
      const queueBindings = [{ queue, exchange: EXCHANGE.exchange, routingKey: pattern }];
      return consumers.add({ queue, queueOptions: TEMPORARY, queueBindings, concurrency: 1 }, ({ body }) =>
        handle(body),
      );
    },
    receive(queue, concurrency, handle) {
      const parallel = { concurrency, qos: { prefetchCount: concurrency } };
      return consumers.add({ queue, queueOptions: TEMPORARY, ...parallel }, (raw) =>
        handle({
          id: raw.messageId ?? '',
          pattern: raw.type ?? '',
          data: raw.body,
          replyTo: raw.replyTo,
        }),
      );
    },
    async sendTo(queue, { id, pattern, data, replyTo }, ttlMs) {
      const to = { routingKey: queue, mandatory: true, expiration: String(ttlMs), durable: false };
      const envelope = { ...to, messageId: id, type: pattern, ...(replyTo === undefined ? {} : { replyTo }) };
      return (await link.send([{ envelope, body: data }])).size === 0;
    },
    check: link.check,
    async close() {
      await consumers.close();
      await link.close();
    },
  };
}

function createConsumers(link: Link, log: Log) {
  const consumers: Consumer[] = [];
  let isClosing = false;
  return {
    /** Starts to consume now, or as soon as the server is available. */
    async add(
      props: ConsumerProps & { queue: string },
      handle: (message: AsyncMessage) => Promise<void>,
    ): Promise<void> {
      const consumer = link
        .connection()
        .createConsumer({ ...props, exchanges: [EXCHANGE] }, async (message) => {
          // Prefetched messages are returned to the queue for other consumers.
          if (isClosing) return ConsumerStatus.REQUEUE;
          await handle(message);
          return ConsumerStatus.ACK;
        });
      consumer.on('error', (error) =>
        log.warn({ queue: props.queue, error: reasonOf(error) }, 'a consumer was interrupted'),
      );
      consumers.push(consumer);
      await within(DECLARED_MS, new Promise<void>((resolve) => consumer.on('ready', resolve)));
    },
    async close(): Promise<void> {
      isClosing = true;
      const closing = consumers.map((consumer) => consumer.close().catch(() => undefined));
      await within(CLOSE_MS, Promise.all(closing));
    },
  };
}
