import { setImmediate } from 'node:timers/promises';
import { Connection, type Envelope, type Publisher } from 'rabbitmq-client';
import { within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import { brokerErrors, reasonOf } from './broker.ts';

/** The topic exchange that receives every published message. */
export const EXCHANGE = { exchange: 'croupier', type: 'topic', durable: true } as const;

const CLOSE_MS = 2000;
const HEARTBEAT_S = 10;

export type Link = ReturnType<typeof createLink>;

/** Creates one connection to RabbitMQ. It opens on first use and reopens when it breaks. One channel publishes with publisher confirms. */
export function createLink(parts: { brokerUrl: string; name: string; log: Log; publishMs: number }) {
  const { log, publishMs } = parts;
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
      const results = await within(publishMs, Promise.allSettled(sent));
      const failed = results?.find((result) => result.status === 'rejected');
      if (!results || failed) throw unavailable(failed?.reason ?? 'not confirmed in time');
      // The library reports returned messages shortly after it resolves the confirmation.
      await setImmediate();
      const ids = letters.flatMap(({ envelope: { messageId = '' } }) =>
        returned.delete(messageId) ? messageId : [],
      );
      return new Set(ids);
    },
    /** Throws BROKER_UNAVAILABLE unless the server opens a channel and has the exchange. */
    async check(): Promise<void> {
      const checked = opened()
        .connection.acquire()
        .then(async (channel) => {
          await channel.exchangeDeclare(EXCHANGE);
          await channel.close();
          return true;
        });
      const isThere = await within(publishMs + CLOSE_MS, checked).catch((error: unknown) => {
        throw unavailable(error);
      });
      if (!isThere) throw unavailable('no response in time');
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
  { brokerUrl, name, log, publishMs }: { brokerUrl: string; name: string; log: Log; publishMs: number },
  onReturn: (id: string) => void,
) {
  const connection = new Connection({
    url: brokerUrl,
    connectionName: `croupier ${name}`,
    acquireTimeout: publishMs,
    connectionTimeout: publishMs,
    heartbeat: HEARTBEAT_S,
    retryLow: 100,
    retryHigh: 2000,
    noDelay: true,
  });
  connection.on('error', (error: unknown) =>
    log.warn({ error: reasonOf(error) }, 'the broker does not respond'),
  );
  connection.on('connection', () => log.info({}, 'connected to the broker'));
  const publisher = connection.createPublisher({ confirm: true, exchanges: [EXCHANGE] });
  publisher.on('basic.return', ({ messageId }) => {
    if (messageId !== undefined) onReturn(messageId);
  });
  return { connection, publisher };
}
