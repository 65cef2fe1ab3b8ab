import pg from 'pg';
import type { TestDatabase } from '../database.ts';

/**
 * Terminates the connections to a database (optionally only those with a matching name) and rejects new connections. The returned function
 * allows connections again.
 */
export async function cutOff(database: TestDatabase, name = '%'): Promise<() => Promise<void>> {
  const admin = new pg.Client({ connectionString: database.url.replace(database.name, 'postgres') });
  await admin.connect();
  const allow = (allowed: boolean) =>
    admin.query(`alter database ${database.name} with allow_connections ${allowed}`);
  await allow(false);
  const { rowCount } = await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name like $2',
    [database.name, name],
  );
  if (!rowCount) throw new Error(`no connection called ${name} to end`);
  return async () => {
    await allow(true);
    await admin.end();
  };
}
