import { sql } from 'kysely';
import type { Db } from '../../../src/platform/database/db.ts';

/**
 * Returns the number of deadlocks in the database so far. The aborted transaction is retried, so no caller notices. PostgreSQL detects a
 * deadlock after one second, and adds it to the count once the connection is idle.
 */
export async function deadlocksIn(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select deadlocks::int as n from pg_stat_database where datname = current_database()`.execute(db);
  return rows[0]!.n;
}
