import { createAdapter } from '@socket.io/postgres-adapter';
import type { createAdapter as createRedisAdapter } from '@socket.io/redis-streams-adapter';
import { createClient, type Db, type DbOptions, type PgClient, run } from '../platform/database/db.ts';
import type { Log } from '../platform/observability/log.ts';

/**
 * Transfers the messages between processes that are not part of the event log. If the adapter fails, only these messages are lost, because
 * each process reads the event log itself.
 */
export type ClusterAdapter = {
  adapter: ReturnType<typeof createAdapter> | ReturnType<typeof createRedisAdapter>;
  close(): Promise<void>;
};

/**
 * Connects through Redis if its URL is configured, otherwise through PostgreSQL. The Redis libraries are 700 files, so they are loaded only
 * if needed.
 */
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
 * Gives the adapter its own pool of one connection, which it keeps permanently. In a shared pool a lost connection would remain checked
 * out, and after some losses the adapter might listen on two connections.
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
      log.warn({ error: error.message }, 'could not reach the sockets of other processes'),
  });
  return { adapter, close: async () => letGo() };
}
