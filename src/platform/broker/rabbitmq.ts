import { type AsyncMessage, type Consumer, type ConsumerProps, ConsumerStatus } from 'rabbitmq-client';
import { within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { type Driver, logFailure, reasonOf, type Subscription, type Waits } from './broker.ts';
import { createDeadLetters, envelopeOf, look, messageOf, setAside } from './rabbitmq-letters.ts';
import { createLink, EXCHANGE, type Link } from './rabbitmq-link.ts';

const CLOSE_MS = 5000;
const DECLARED_MS = 3000;
const PREFETCH = 20;
/**
 * A process's own queue is deleted with its last consumer. If the server is unavailable at that time, the queue is deleted a minute later.
 */
const TEMPORARY = { durable: true, autoDelete: true, arguments: { 'x-expires': 60_000 } };

/**
 * Creates the broker driver for RabbitMQ. The connection opens on first use and reopens when it breaks. A message is considered published
 * once the server has confirmed it. Queues and their messages are durable.
 */
export function createRabbitDriver(parts: {
  brokerUrl: string;
  name: string;
  log: Log;
  waits: Waits;
}): Driver {
  const { log, waits } = parts;
  const link = createLink(parts);
  const consumers = createConsumers(link, log);
  return {
    ...queuesOf(link),
    async publish(messages) {
      const sent = messages.map(({ pattern, data, id }) => ({
        envelope: { ...envelopeOf(id), exchange: EXCHANGE.exchange, routingKey: pattern },
        body: data,
      }));
      await link.send(sent);
    },
    subscribe(form) {
      const { queue, patterns, isTemporary } = form;
      const queueOptions = isTemporary ? TEMPORARY : { durable: true };
      const inOrder = { concurrency: 1, qos: { prefetchCount: PREFETCH } };
      return consumers.add(
        { queue, queueOptions, queueBindings: bindings(queue, patterns), ...inOrder },
        (raw) => consume(form, raw, { link, waits, log }),
      );
    },
    dead: createDeadLetters(link),
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
    async close() {
      await consumers.close();
      await link.close();
    },
  };
}

/** Handles a message of a subscription. If the handler fails, stores the message for a retry or as a dead letter. */
async function consume(
  { queue, handle, maxAttempts }: Subscription,
  raw: AsyncMessage,
  { link, waits, log }: { link: Link; waits: Waits; log: Log },
): Promise<void> {
  const message = messageOf(raw);
  const { id, attempt } = message;
  try {
    await handle(message);
  } catch (error) {
    const reason = reasonOf(error);
    const isLast = attempt >= maxAttempts;
    logFailure(log, { queue, messageId: id, attempt, error: reason }, isLast);
    await setAside(link, waits, { queue, message, reason, isLast });
  }
}

const queuesOf = (link: Link): Pick<Driver, 'declare' | 'info' | 'purge' | 'peek'> => ({
  async declare({ queue, patterns, most }) {
    await link.using(async (channel) => {
      await channel.exchangeDeclare(EXCHANGE);
      const limits = { 'x-max-length': most, 'x-overflow': 'drop-head' } as const;
      await channel.queueDeclare({ queue, durable: true, arguments: limits });
      for (const binding of bindings(queue, patterns)) await channel.queueBind(binding);
    });
  },
  info: (queue) =>
    link.using(async (channel) => {
      const { messageCount, consumerCount } = await channel.queueDeclare({ queue, passive: true });
      return { messageCount, consumerCount };
    }),
  purge: (queue) => link.using(async (channel) => (await channel.queuePurge({ queue })).messageCount),
  peek: (queue, count) =>
    link.using(async (channel) => {
      await channel.queueDeclare({ queue, passive: true });
      return (await look(channel, queue, count)).map(messageOf);
    }),
});

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

const bindings = (queue: string, patterns: readonly string[]) =>
  patterns.map((routingKey) => ({ queue, exchange: EXCHANGE.exchange, routingKey }));
