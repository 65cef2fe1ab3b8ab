import type { ConnectionOptions, PgClient } from '../database/db.ts';
import { sqlState } from '../database/errors.ts';
import { createOwnConnection, type OwnConnection } from '../database/own-connection.ts';
import type { Log } from '../observability/log.ts';

const TIMEOUT_MS = 5000;

type Address = Pick<ConnectionOptions, 'connectionString' | 'primary'>;
export type JobLocks = ReturnType<typeof createJobLocks>;

/**
 * Creates named locks shared by all processes, on one dedicated connection. Locks therefore never exhaust the pool. The server releases the
 * locks when the connection ends, for example because this process dies.
 */
export function createJobLocks(address: Address, log: Log) {
  const timeouts = { connectTimeoutMs: TIMEOUT_MS, statementTimeoutMs: TIMEOUT_MS };
  const connection = createOwnConnection(
    { ...address, ...timeouts, name: 'croupier jobs' },
    { onLost: (reason) => log.warn({ reason }, 'lost the connection that holds the job locks') },
  );
  /** PostgreSQL would grant these locks again, because all locks of this process belong to one connection. */
  const held = new Set<string>();
  return {
    /** Runs `work` and returns true. Returns false without running it if this or another process holds the lock. */
    async during(name: string, work: () => Promise<void>): Promise<boolean> {
      if (held.has(name)) return false;
      held.add(name);
      try {
        const client = await connection.get();
        if (!(await acquire(connection, client, name))) return false;
        try {
          await work();
        } finally {
          await release(connection, client, name);
        }
        return true;
      } finally {
        held.delete(name);
      }
    },
    close: connection.close,
  };
}

async function acquire(connection: OwnConnection, client: PgClient, name: string): Promise<boolean> {
  const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked';
  const { rows } = await client.query<{ locked: boolean }>(text, [name]).catch((error: Error) => {
    // If the error comes from the server, the connection and the locks of other jobs are still intact.
    if (sqlState(error) === undefined) connection.lose(client, error.message);
    throw error;
  });
  return rows[0]!.locked;
}

/** Releases a lock. If that fails, drops the connection, which also releases the lock. */
async function release(connection: OwnConnection, client: PgClient, name: string): Promise<void> {
  if (connection.current() !== client) return;
  const text = 'select pg_advisory_unlock(hashtextextended($1, 0))';
  await client.query(text, [name]).catch((error: Error) => connection.lose(client, error.message));
}
