import pg from 'pg';
import type { TestDatabase } from './database.ts';

/**
 * Ends connections to a database (those of one name, where it matters) and lets no new one in, until the returned
 * function is called.
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
