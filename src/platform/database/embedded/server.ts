import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isSlow } from '../while-starting.ts';

/**
 * Returns true if other processes use this server, which is the case if it has connections whose names begin with `name`. It waits up to
 * `patienceMs` for connections of ended processes to disappear, because this takes longer on a busy machine. A server that does not respond
 * in time is considered in use, because the calling program must not stop a server that others use.
 */
export async function isUsed(connectionString: string, name: string, patienceMs = 500): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 2000 });
  client.on('error', () => undefined);
  const others = `select 1 from pg_stat_activity where backend_type = 'client backend' and starts_with(application_name, $1)`;
  try {
    await client.connect();
    for (const until = performance.now() + patienceMs; performance.now() < until; ) {
      const { rowCount } = await client.query(others, [name]);
      if (rowCount === 0) return false;
      await sleep(50);
    }
    return true;
  } catch (error) {
    return isSlow(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns the address of a server for messages: `at db.internal:5432` or `in /run/postgresql`. */
export const describeServer = ({ host, port }: { host: string; port: number }): string =>
  host.startsWith('/') ? `in ${host}` : `at ${host}:${port}`;

/** Returns the server of a connection string for messages: `PostgreSQL at db.internal:5432`. */
export const serverOf = (connectionString: string): string =>
  `PostgreSQL ${describeServer(new pg.Client({ connectionString }))}`;

/** Returns the database of a connection string for messages: `casino at db.internal:5432`, without user and password. */
export function describeDatabase(connectionString: string): string {
  try {
    const { database, host, port } = new pg.Client({ connectionString });
    return `${database} ${describeServer({ host, port })}`;
  } catch {
    return 'of DATABASE_URL';
  }
}
