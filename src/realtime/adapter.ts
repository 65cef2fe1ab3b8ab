import { createAdapter } from '@socket.io/postgres-adapter';
import type { createAdapter as createRedisAdapter } from '@socket.io/redis-streams-adapter';
import { createClient, type Db, type DbOptions, type PgClient, run } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';

/** Carries between processes what is not in the log. Its loss costs nothing but that: frames of the feed are local. */
export type ClusterAdapter = {
  adapter: ReturnType<typeof createAdapter> | ReturnType<typeof createRedisAdapter>;
  close(): Promise<void>;
};

/** Over Redis where its address is known, else over PostgreSQL. The libraries of Redis are seven hundred files: only who uses it loads them. */
export async function createClusterAdapter(parts: {
  redisUrl: string | undefined;
  db: Db;
  database: DbOptions;
  log: Log;
}): Promise<ClusterAdapter> {
  if (parts.redisUrl === undefined) return overPostgres(parts);
  const { overRedis } = await import('./redis-adapter.ts');
  return overRedis(parts.redisUrl, parts.log);
}

type PoolOfAdapter = Parameters<typeof createAdapter>[0];

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
  const adapter = createAdapter(pool as unknown as PoolOfAdapter, {
    errorHandler: (error) =>
      log.warn({ error: error.message }, 'sockets of other processes were not reached'),
  });
  return { adapter, close: async () => letGo() };
}
