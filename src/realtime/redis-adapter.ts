import { createAdapter } from '@socket.io/redis-streams-adapter';
import { createRedis, type Redis } from '../platform/net/redis.ts';
import type { Log } from '../platform/observability/log.ts';

const BLOCK_MS = 1000;

/**
 * Creates the adapter over Redis. The adapter does not await its own calls, so their errors must be caught here. An unhandled rejection
 * would end the process.
 */
export function overRedis(url: string, log: Log) {
  const client = createRedis(url, log);
  const others: Redis[] = [];
  const tell = (error: unknown) =>
    log.warn(
      { error: error instanceof Error ? error.name : 'unknown' },
      'could not reach the sockets of other processes',
    );
  const publish = client.publish.bind(client);
  const sendCommand = client.sendCommand.bind(client);
  const safe = Object.assign(client, {
    publish: (channel: string, message: Buffer) =>
      publish(channel, message).catch((error: unknown) => {
        tell(error);
        return 0;
      }),
    // On failure, returns a listener count of 1, which means that only this process listens.
    sendCommand: ((args: string[]) => sendCommand(args).catch(() => ['', '1'])) as typeof sendCommand,
    duplicate: () => {
      const other = createRedis(url, log, { waits: true });
      const subscribe = other.subscribe.bind(other) as (...args: unknown[]) => Promise<void>;
      others.push(other);
      return Object.assign(other, { subscribe: (...args: unknown[]) => subscribe(...args).catch(tell) });
    },
  });
  void client.connect().catch(tell);
  const adapter = createAdapter(safe, { blockTimeInMs: BLOCK_MS, channelPrefix: channelPrefixOf(url) });
  return {
    adapter,
    async close() {
      for (const one of [client, ...others]) if (one.isOpen) one.destroy();
    },
  };
}

/**
 * Returns the prefix of the adapter's channels. Redis publishes to listeners of all its databases, so the prefix contains the database
 * number (0: the adapter's default).
 */
function channelPrefixOf(url: string): string {
  const database = new URL(url).pathname.slice(1);
  return Number(database) > 0 ? `socket.io-${database}` : 'socket.io';
}
