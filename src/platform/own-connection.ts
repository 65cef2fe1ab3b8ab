import { type ConnectionOptions, createClient, type PgClient } from './db.ts';

/** No time-out ends a session that only holds locks or listens; the server notices within half a minute when its machine has vanished. */
const SETTINGS = `select set_config(name, value, false) from (values ('idle_session_timeout', '0'),
  ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')) as settings (name, value)`;

type Hooks = {
  /** Runs on a new connection before anybody gets it; a throw gives the connection up. */
  prepare?: (client: PgClient) => Promise<unknown>;
  /** The connection broke, or was given up. */
  onLost?: (reason: string) => void;
};
export type OwnConnection = ReturnType<typeof createOwnConnection>;

/**
 * One connection beside the pool, for what ends with its connection: advisory locks, LISTEN. It is made by the first `get`, and anew by the
 * first one after it broke.
 */
export function createOwnConnection(options: ConnectionOptions, { prepare, onLost }: Hooks = {}) {
  let client: PgClient | undefined;
  let connecting: Promise<PgClient> | undefined;
  let isClosed = false;

  /** Gives up a connection that broke or cannot be trusted any more; one that was replaced already is none of it. */
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
      // It must not stay open beside the next one.
      void next.end().catch(() => undefined);
      throw error;
    }
    client = next;
    return next;
  };
  return {
    /** The connection that is open now. */
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
