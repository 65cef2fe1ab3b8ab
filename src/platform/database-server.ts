import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * Whether other processes whose connections bear a name that begins with `name` use this server. Connections that were
 * closed a moment ago do not count: they have half a second to disappear. A server that does not answer is not used.
 */
export async function isUsed(connectionString: string, name: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 2000 });
  client.on('error', () => undefined);
  const others = `select 1 from pg_stat_activity where backend_type = 'client backend' and starts_with(application_name, $1)`;
  try {
    await client.connect();
    for (let attempt = 0; attempt < 10; attempt++) {
      const { rowCount } = await client.query(others, [name]);
      if (rowCount === 0) return false;
      await sleep(50);
    }
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Which database an address leads to, for messages: `casino at db.internal:5432`, without user and password. */
export function describeDatabase(connectionString: string): string {
  try {
    const { database, host, port } = new pg.Client({ connectionString });
    return host.startsWith('/') ? `${database} in ${host}` : `${database} at ${host}:${port}`;
  } catch {
    return 'of DATABASE_URL';
  }
}
