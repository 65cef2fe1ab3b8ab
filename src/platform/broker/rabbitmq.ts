import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AsyncMessage, type Consumer, type ConsumerProps, ConsumerStatus } from 'rabbitmq-client';
import type { Log } from '../log.ts';
import { type Broker, MAX_ATTEMPTS, type NewMessage, reasonOf, type Waits } from './broker.ts';
import { assertBindings, assertPattern } from './patterns.ts';
import { createLetters, envelopeOf, look, messageOf } from './rabbitmq-letters.ts';
import { createLink, EXCHANGE, type Link } from './rabbitmq-link.ts';
import { createRpc, type Transport } from './rpc.ts';

const CLOSE_MS = 5000;
const DECLARED_MS = 3000;
const RPC_AT_ONCE = 16;
const PREFETCH = 20;
/** A queue for whoever runs now ends with its last consumer, or a minute later when the server was away then. */
const TEMPORARY = { durable: true, autoDelete: true, arguments: { 'x-expires': 60_000 } };

type Consume = (
  props: ConsumerProps & { queue: string },
  handle: (message: AsyncMessage) => Promise<void>,
) => Promise<void>;

/**
 * The broker over RabbitMQ. The connection is made with the first use, and anew when it breaks. Published is what the server has
 * confirmed; queues are durable, and so is what is in them.
 */
export function createRabbitBroker(parts: {
  brokerUrl: string;
  name: string;
  log: Log;
  waits: Waits;
}): Broker {
  const { log, waits } = parts;
  const link = createLink(parts);
  const letters = createLetters(link, waits);
  const consumers: Consumer[] = [];
  let isClosing = false;

  /** Consumes from now on, or from when the server is there. */
  const consume: Consume = async (props, handle) => {
    const consumer = link
      .connection()
      .createConsumer({ ...props, exchanges: [EXCHANGE] }, async (message) => {
        // What was fetched ahead is for others.
        if (isClosing) return ConsumerStatus.REQUEUE;
        await handle(message);
        return ConsumerStatus.ACK;
      });
    const facts = { queue: props.queue };
    consumer.on('error', (error) =>
      log.warn({ ...facts, error: reasonOf(error) }, 'a consumer was interrupted'),
    );
    consumers.push(consumer);
    const ready = new Promise<void>((resolve) => consumer.on('ready', resolve));
    await Promise.race([ready, sleep(DECLARED_MS, undefined, { ref: false })]);
  };
  const publishAll = async (messages: readonly NewMessage[]) => {
    for (const { pattern } of messages) assertPattern(pattern);
    const sent = messages.map(({ pattern, data, id = randomUUID() }) => ({
      envelope: { ...envelopeOf(id), exchange: EXCHANGE.exchange, routingKey: pattern },
      body: data,
    }));
    await link.send(sent);
  };
  return {
    ...createRpc(createTransport(link, consume), log),
    publishAll,
    async publish(pattern, data, { id = randomUUID() } = {}) {
      await publishAll([{ pattern, data, id }]);
      return { id };
    },
    async subscribe(queue, patterns, handle, { maxAttempts = MAX_ATTEMPTS, isTemporary = false } = {}) {
      assertPattern(queue);
      assertBindings(patterns);
      const take = async (raw: AsyncMessage): Promise<void> => {
        const message = messageOf(raw);
        try {
          await handle(message);
        } catch (error) {
          const reason = reasonOf(error);
          const isLast = message.attempt >= maxAttempts;
          const facts = { queue, messageId: message.id, attempt: message.attempt, error: reason };
          if (isLast) log.error(facts, 'a message failed for the last time; it is a dead letter');
          else log.warn(facts, 'a message failed; it is tried again');
          await letters.setAside({ queue, message, reason, isLast });
        }
      };
      const queueOptions = isTemporary ? TEMPORARY : { durable: true };
      const inOrder = { concurrency: 1, qos: { prefetchCount: PREFETCH } };
      await consume({ queue, queueOptions, queueBindings: bindings(queue, patterns), ...inOrder }, take);
    },
    async declare(queue, patterns, { most }) {
      assertPattern(queue);
      assertBindings(patterns);
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
    dead: letters.dead,
    async close() {
      isClosing = true;
      const closing = Promise.all(consumers.map((consumer) => consumer.close().catch(() => undefined)));
      await Promise.race([closing, sleep(CLOSE_MS, undefined, { ref: false })]);
      await link.close();
    },
  };
}

const bindings = (queue: string, patterns: readonly string[]) =>
  patterns.map((routingKey) => ({ queue, exchange: EXCHANGE.exchange, routingKey }));

function createTransport(link: Link, consume: Consume): Transport {
  return {
    receive: (queue, handle) => {
      const parallel = { concurrency: RPC_AT_ONCE, qos: { prefetchCount: RPC_AT_ONCE } };
      return consume({ queue, queueOptions: TEMPORARY, ...parallel }, (raw) =>
        handle({
          id: raw.messageId ?? '',
          pattern: raw.type ?? '',
          data: raw.body,
          replyTo: raw.replyTo,
        }).catch(
          // What cannot be answered now is not asked again: who asked waits no longer.
          () => undefined,
        ),
      );
    },
    async sendTo(queue, { id, pattern, data, replyTo }, ttlMs) {
      const to = { routingKey: queue, mandatory: true, expiration: String(ttlMs), durable: false };
      const envelope = { ...to, messageId: id, type: pattern, ...(replyTo === undefined ? {} : { replyTo }) };
      return (await link.send([{ envelope, body: data }])).size === 0;
    },
  };
}
