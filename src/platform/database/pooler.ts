import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { within } from '../jobs/timers.ts';
import type { Pool } from './db.ts';

/** Timeout of a statement in one session while another connection holds a transaction open. */
const ANSWER_MS = 2000;
/** Number of checks. One is not enough, because a pooler may assign the same server session by chance. */
const LOOKS = 3;

export const BY_TRANSACTION =
  'DATABASE_URL leads to a connection pooler in transaction or statement mode. Set pool_mode=session for this database, or connect to the primary.';

type Session = { pid: number; mark: string | null };
const LOOK = `select pg_backend_pid() as pid, nullif(current_setting('croupier.session', true), '') as mark`;

/**
 * Throws if a pooler in front of PostgreSQL gives a connection's session to other connections between two transactions. Needs two
 * connections of the pool. Without a pooler the check costs one statement.
 */
export async function assertSessions(pool: Pool): Promise<void> {
  const one = await pool.connect();
  let isPooled = true;
  try {
    const { rows } = await one.query<Session>(LOOK);
    // PostgreSQL sends its process id when a connection begins. A pooler sends an arbitrary number.
    isPooled = (one as unknown as { processID: number }).processID !== rows[0]!.pid;
    if (!isPooled) return;
    const two = await pool.connect();
    try {
      const mark = randomUUID();
      await one.query(`select set_config('croupier.session', $1, false)`, [mark]);
      for (let look = 0; look < LOOKS; look++)
        if (!(await keepsApart(one, two, mark))) throw new Error(BY_TRANSACTION);
    } finally {
      two.release(true);
    }
  } finally {
    // Discards a pooled connection, which ends its pending statement and removes the session's mark.
    one.release(isPooled);
  }
}

type Connection = pg.PoolClient;

/** Returns true if `one` has its own session while `two` has an open transaction. */
async function keepsApart(one: Connection, two: Connection, mark: string): Promise<boolean> {
  try {
    await two.query('begin');
  } catch (error) {
    // Statement pooling does not support transactions.
    if (/statement pooling/.test((error as Error).message)) return false;
    throw error;
  }
  const [theirs] = (await two.query<Session>(LOOK)).rows;
  const ours = await within(ANSWER_MS, one.query<Session>(LOOK));
  await two.query('rollback');
  // A connection that waits for the other connection's transaction has no server session.
  return theirs!.mark !== mark && ours?.rows[0]?.mark === mark;
}
