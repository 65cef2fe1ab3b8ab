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
  return {
    /** Runs `work` unless another process holds the lock. */
    async during(name: string, work: () => Promise<void>): Promise<void> {
      const client = await connection.get();
      if (!(await acquire(connection, client, name))) return;
      try {
        await work();
      } finally {
        await release(connection, client, name);
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
