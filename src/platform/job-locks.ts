import { sqlState } from './database-errors.ts';
import { createClient, type PgClient } from './db.ts';
import type { Log } from './log.ts';

const TIMEOUT_MS = 5000;
/** No time-out ends a session that waits for a long job; a machine that vanishes is noticed within half a minute. */
const SETTINGS = `select set_config(name, value, false) from (values ('idle_session_timeout', '0'),
  ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')) as settings (name, value)`;

export type JobLocks = ReturnType<typeof createJobLocks>;

/**
 * Locks by name among all processes, on one connection of their own: however many are held, the pool is left to the
 * work. A lock ends with the connection, so also when this process dies; a connection that broke is made anew.
 */
export function createJobLocks(connectionString: string, log: Log) {
  let client: PgClient | undefined;
  let connecting: Promise<PgClient> | undefined;

  const lose = (lost: PgClient, reason: string) => {
    if (client !== lost) return;
    client = undefined;
    log.warn({ reason }, 'the connection that holds the locks of jobs ended');
    void lost.end().catch(() => undefined);
  };
  const connect = async (): Promise<PgClient> => {
    const next = createClient(
      {
        connectionString,
        poolSize: 1,
        connectTimeoutMs: TIMEOUT_MS,
        statementTimeoutMs: TIMEOUT_MS,
        name: 'croupier jobs',
      },
      { pipeline: true },
    );
    next.on('error', (error) => lose(next, error.message));
    next.on('end', () => lose(next, 'the server closed it'));
    try {
      await next.connect();
      await next.query(SETTINGS);
      client = next;
      return next;
    } catch (error) {
      void next.end().catch(() => undefined);
      throw error;
    }
  };
  const connected = async (): Promise<PgClient> => {
    if (client) return client;
    connecting ??= connect().finally(() => {
      connecting = undefined;
    });
    return connecting;
  };
  const take = async (on: PgClient, name: string): Promise<boolean> => {
    const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked';
    const { rows } = await on.query<{ locked: boolean }>(text, [name]).catch((error: Error) => {
      // What the server itself refused leaves the connection, and the locks of the other jobs, as they were.
      if (sqlState(error) === undefined) lose(on, error.message);
      throw error;
    });
    return rows[0]!.locked;
  };
  /** A lock that cannot be given back must not stay: it goes with its connection. */
  const giveBack = async (on: PgClient, name: string): Promise<void> => {
    if (client !== on) return;
    const text = 'select pg_advisory_unlock(hashtextextended($1, 0))';
    await on.query(text, [name]).catch((error: Error) => lose(on, error.message));
  };
  return {
    /** Runs `work` unless another process holds the lock. */
    async during(name: string, work: () => Promise<void>): Promise<void> {
      const on = await connected();
      if (!(await take(on, name))) return;
      try {
        await work();
      } finally {
        await giveBack(on, name);
      }
    },
    async close(): Promise<void> {
      await connecting?.catch(() => undefined);
      const last = client;
      client = undefined;
      await last?.end().catch(() => undefined);
    },
  };
}
