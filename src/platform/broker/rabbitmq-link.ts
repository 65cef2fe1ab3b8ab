import { setImmediate } from 'node:timers/promises';
import { type Channel, Connection, type Envelope, type Publisher } from 'rabbitmq-client';
import { within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { brokerErrors, DEAD_DAYS, reasonOf, type Waits } from './broker.ts';

/** The topic exchange that receives every published message. */
export const EXCHANGE = { exchange: 'croupier', type: 'topic', durable: true } as const;
/** Dead letters of all queues. */
export const DEAD = 'croupier.dead';
/**
 * Returns the name of the exchange and queue in which messages wait `ms` milliseconds for their next attempt. They then return to their
 * original queue.
 */
export const retryOf = (ms: number) => `croupier.retry.${ms}`;

const CLOSE_MS = 2000;
const HEARTBEAT_S = 10;

export type Link = ReturnType<typeof createLink>;

/** Creates one connection to RabbitMQ. It opens on first use and reopens when it breaks. One channel publishes with publisher confirms. */
export function createLink(parts: { brokerUrl: string; name: string; log: Log; waits: Waits }) {
  const { log, waits } = parts;
  let open: { connection: Connection; publisher: Publisher } | undefined;
  /** Ids of messages that were routed to no queue. The server returns them before it confirms them. */
  const returned = new Set<string>();

  const opened = () => {
    open ??= connect(parts, (id) => returned.add(id));
    return open;
  };
  const unavailable = (error: unknown) => {
    log.warn({ error: reasonOf(error) }, 'publishing to or consuming from the broker failed');
    return brokerErrors.BROKER_UNAVAILABLE();
  };
  return {
    connection: () => opened().connection,
    /** Sends the messages in order and waits for all confirmations. Returns the ids of messages that were routed to no queue. */
    async send(letters: readonly { envelope: Envelope; body: unknown }[]): Promise<Set<string>> {
      const { publisher } = opened();
      const sent = letters.map(({ envelope, body }) => publisher.send({ durable: true, ...envelope }, body));
      const results = await within(waits.publishMs, Promise.allSettled(sent));
      const failed = results?.find((result) => result.status === 'rejected');
      if (!results || failed) throw unavailable(failed?.reason ?? 'not confirmed in time');
      // The library reports returned messages shortly after it resolves the confirmation.
      await setImmediate();
      const ids = letters.flatMap(({ envelope: { messageId = '' } }) =>
        returned.delete(messageId) ? messageId : [],
      );
      return new Set(ids);
    },
    /** Runs `work` on a separate channel. Returns undefined if the queue does not exist. */
    async using<T>(work: (channel: Channel) => Promise<T>): Promise<T | undefined> {
      const acquired = opened().connection.acquire({ emitErrorsFromChannel: true });
      const worked = acquired.then(async (channel) => {
        channel.on('error', () => undefined);
        try {
          return { value: await work(channel) };
        } finally {
          if (channel.active) await channel.close();
        }
      });
      const result = await within(waits.publishMs + CLOSE_MS, worked).catch((error: { code?: string }) => {
        if (error.code === 'NOT_FOUND') return { value: undefined };
        throw unavailable(error);
      });
      if (!result) throw unavailable('no answer in time');
      return result.value;
    },
    async close(): Promise<void> {
      if (!open) return;
      const { connection, publisher } = open;
      const closed = publisher.close().then(() => connection.close());
      await within(
        CLOSE_MS,
        closed.catch(() => undefined),
      );
      connection.unsafeDestroy();
    },
  };
}

function connect(
  { brokerUrl, name, log, waits }: { brokerUrl: string; name: string; log: Log; waits: Waits },
  onReturn: (id: string) => void,
) {
  const connection = new Connection({
    url: brokerUrl,
    connectionName: `croupier ${name}`,
    acquireTimeout: waits.publishMs,
    connectionTimeout: waits.publishMs,
    heartbeat: HEARTBEAT_S,
    retryLow: 100,
    retryHigh: 2000,
    noDelay: true,
  });
  connection.on('error', (error: unknown) =>
    log.warn({ error: reasonOf(error) }, 'the broker does not respond'),
  );
  connection.on('connection', () => log.info({}, 'connected to the broker'));
  const retries = [...new Set(waits.backoffMs)];
  const publisher = connection.createPublisher({
    confirm: true,
    exchanges: [EXCHANGE, ...retries.map((ms) => ({ exchange: retryOf(ms), type: 'fanout', durable: true }))],
    queues: [
      { queue: DEAD, durable: true, arguments: { 'x-message-ttl': DEAD_DAYS * 86_400_000 } },
      ...retries.map((ms) => ({
        queue: retryOf(ms),
        durable: true,
        arguments: { 'x-message-ttl': ms, 'x-dead-letter-exchange': '' },
      })),
    ],
    queueBindings: retries.map((ms) => ({ queue: retryOf(ms), exchange: retryOf(ms) })),
  });
  publisher.on('basic.return', ({ messageId }) => {
    if (messageId !== undefined) onReturn(messageId);
  });
  return { connection, publisher };
}
