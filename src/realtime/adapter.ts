import { createAdapter as createPostgresAdapter } from '@socket.io/postgres-adapter';
import { createAdapter as createRedisAdapter } from '@socket.io/redis-streams-adapter';
import { createClient, type Db, type DbOptions, type PgClient, run } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import { createRedis, type Redis } from '../platform/redis.ts';

/** Carries between processes what is not in the log. Its loss costs nothing but that: frames of the feed are local. */
export type ClusterAdapter = {
  adapter: ReturnType<typeof createPostgresAdapter> | ReturnType<typeof createRedisAdapter>;
  close(): Promise<void>;
};

export function createClusterAdapter(parts: {
  redisUrl: string | undefined;
  db: Db;
  database: DbOptions;
  log: Log;
}): ClusterAdapter {
  return parts.redisUrl === undefined ? overPostgres(parts) : overRedis(parts.redisUrl, parts.log);
}

type PoolOfAdapter = Parameters<typeof createPostgresAdapter>[0];

/**
 * The adapter wants a pool, and keeps a connection of it for good. A lost one would stay taken, and after some losses it may come
 * to listen twice: so it gets connections of its own, one at a time.
 */
function overPostgres({ db, database, log }: { db: Db; database: DbOptions; log: Log }): ClusterAdapter {
  let listening: PgClient | undefined;
  const letGo = () => {
    listening?.removeAllListeners('end').removeAllListeners('notification');
    void listening?.end().catch(() => undefined);
    listening = undefined;
  };
  const pool = {
    async connect() {
      letGo();
      const client = createClient({ ...database, name: `${database.name} sockets` });
      client.on('error', () => undefined);
      listening = client;
      await client.connect();
      return Object.assign(client, { release: letGo });
    },
    query: async (text: string, values: unknown[] = []) => ({
      rows: await run(db, { name: 'socket.io', text, values }),
    }),
  };
  const adapter = createPostgresAdapter(pool as unknown as PoolOfAdapter, {
    errorHandler: (error) =>
      log.warn({ error: error.message }, 'sockets of other processes were not reached'),
  });
  return { adapter, close: async () => letGo() };
}

const BLOCK_MS = 1000;

/** Everything that the adapter starts without waiting for it must not fail: it would end the process. */
function overRedis(url: string, log: Log): ClusterAdapter {
  const client = createRedis(url, log);
  const others: Redis[] = [];
  const tell = (error: unknown) =>
    log.warn(
      { error: error instanceof Error ? error.name : 'unknown' },
      'sockets of other processes were not reached',
    );
  const publish = client.publish.bind(client);
  const sendCommand = client.sendCommand.bind(client);
  const safe = Object.assign(client, {
    publish: (channel: string, message: Buffer) =>
      publish(channel, message).catch((error: unknown) => {
        tell(error);
        return 0;
      }),
    // How many listen: this one alone.
    sendCommand: ((args: string[]) => sendCommand(args).catch(() => ['', '1'])) as typeof sendCommand,
    duplicate: () => {
      const other = createRedis(url, log, { waits: true });
      const subscribe = other.subscribe.bind(other) as (...args: unknown[]) => Promise<void>;
      others.push(other);
      return Object.assign(other, { subscribe: (...args: unknown[]) => subscribe(...args).catch(tell) });
    },
  });
  void client.connect().catch(tell);
  const adapter = createRedisAdapter(safe, { blockTimeInMs: BLOCK_MS });
  return {
    adapter,
    async close() {
      for (const one of [client, ...others]) if (one.isOpen) one.destroy();
    },
  };
}
