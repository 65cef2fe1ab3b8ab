import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Pool } from './db.ts';
import { within } from './timers.ts';

/** How long a session of our own may take to answer while another connection holds a transaction. */
const ANSWER_MS = 2000;
/** A pooler may give us the same server by chance. */
const LOOKS = 3;

const BY_TRANSACTION =
  'DATABASE_URL leads to a connection pooler that pools by transaction (or by statement): prepared statements, LISTEN, advisory locks and time-outs live in sessions. Set pool_mode=session for this database in it, or name the primary itself.';

type Session = { pid: number; mark: string | null };
const LOOK = `select pg_backend_pid() as pid, nullif(current_setting('croupier.session', true), '') as mark`;

/**
 * Throws when something between us and PostgreSQL gives the session of a connection to others between two transactions. Needs two
 * connections of the pool; without a pooler it costs one statement.
 */
export async function assertSessions(pool: Pool): Promise<void> {
  const one = await pool.connect();
  let isPooled = true;
  try {
    const { rows } = await one.query<Session>(LOOK);
    // PostgreSQL tells its own process when a connection begins, a pooler makes a number up.
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
    // What waits in it, and the mark, end with it.
    one.release(isPooled);
  }
}

type Connection = pg.PoolClient;

/** Whether the session of `one` is its own while `two` holds a transaction. */
async function keepsApart(one: Connection, two: Connection, mark: string): Promise<boolean> {
  try {
    await two.query('begin');
  } catch (error) {
    // Pooling by statement knows no transactions.
    if (/statement pooling/.test((error as Error).message)) return false;
    throw error;
  }
  const [theirs] = (await two.query<Session>(LOOK)).rows;
  const ours = await within(ANSWER_MS, one.query<Session>(LOOK));
  await two.query('rollback');
  // One that waits for the other's transaction has no server of its own.
  return theirs!.mark !== mark && ours?.rows[0]?.mark === mark;
}
