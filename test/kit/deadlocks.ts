import { sql } from 'kysely';
import type { Db } from '../../src/platform/db.ts';

/**
 * Deadlocks in the database so far: the transaction that is given up is tried again, so nobody else notices. One waits for a second before it
 * is found, and is counted as soon as its connection is idle.
 */
export async function deadlocksIn(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select deadlocks::int as n from pg_stat_database where datname = current_database()`.execute(db);
  return rows[0]!.n;
}
