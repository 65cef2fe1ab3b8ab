import { type ConnectionOptions, createClient, type PgClient } from './db.ts';

/**
 * Settings of a session that only holds locks or listens. Timeouts never end the session. If the client's machine disappears, the server
 * notices within half a minute.
 */
const SETTINGS = `select set_config(name, value, false) from (values ('idle_session_timeout', '0'),
  ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')) as settings (name, value)`;

type Hooks = {
  /** Runs on a new connection before its first use. If it throws, the connection is discarded. */
  prepare?: (client: PgClient) => Promise<unknown>;
  /** Called when the connection breaks or is discarded. */
  onLost?: (reason: string) => void;
};
export type OwnConnection = ReturnType<typeof createOwnConnection>;

/**
 * Creates one connection outside the pool, for state that ends with its connection (advisory locks, LISTEN). The first call to `get` opens
 * the connection. If the connection breaks, the next call opens a new one.
 */
export function createOwnConnection(options: ConnectionOptions, { prepare, onLost }: Hooks = {}) {
  let client: PgClient | undefined;
  let connecting: Promise<PgClient> | undefined;
  let isClosed = false;

  /** Discards a broken or untrusted connection unless it has already been replaced. */
  const lose = (lost: PgClient, reason: string): void => {
    if (client !== lost) return;
    client = undefined;
    lost.removeAllListeners('notification');
    onLost?.(reason);
    void lost.end().catch(() => undefined);
  };
  const connect = async (): Promise<PgClient> => {
    const next = createClient(options, { pipeline: true });
    next.on('error', (error) => lose(next, error.message));
    next.on('end', () => lose(next, 'the connection ended'));
    try {
      await next.connect();
      await next.query(SETTINGS);
      await prepare?.(next);
      if (isClosed) throw new Error('closed while connecting');
    } catch (error) {
      // The failed connection must be closed. Otherwise it would stay open in addition to the new one.
      void next.end().catch(() => undefined);
      throw error;
    }
    client = next;
    return next;
  };
  return {
    /** Returns the open connection, if any. */
    current: (): PgClient | undefined => client,
    async get(): Promise<PgClient> {
      if (client) return client;
      connecting ??= connect().finally(() => {
        connecting = undefined;
      });
      return connecting;
    },
    lose,
    async close(): Promise<void> {
      isClosed = true;
      const last = client;
      client = undefined;
      await last?.end().catch(() => undefined);
    },
  };
}
