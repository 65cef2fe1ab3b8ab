import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type PostgresPool,
  type PostgresPoolClient,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
} from 'kysely';
import type pg from 'pg';
import { within } from '../jobs/timers.ts';

/**
 * Limits of a snapshot. One statement may sort or count a whole list, so it has more time than usual. The snapshot ends if its caller reads
 * nothing for IDLE_MS.
 */
const STATEMENT_MS = 60_000;
const IDLE_MS = 60_000;

/**
 * Reads that all see the database at one point in time. Everything that `read` calls uses the same connection, in one read-only
 * transaction, whichever pool it borrows from. `end` closes the connection, even while a statement is running.
 */
export type Snapshot = {
  read<T>(work: () => Promise<T>): Promise<T>;
  /** Returns true if a list read through `nextRows` has more rows. Returns undefined if the list is read by page number. */
  hasMore(): boolean | undefined;
  end(): Promise<void>;
};

type State = {
  lent: Map<PostgresPool, Promise<Lent>>;
  cursors: Map<object, string>;
  hasMore: boolean | undefined;
  isEnded: boolean;
};
type Lent = { client: PostgresPoolClient; shared: PostgresPoolClient; pid: number };

const current = new AsyncLocalStorage<State>();

export const inSnapshot = (): boolean => current.getStore() !== undefined;

/** While set, every pool provides connections of this pool instead of its own. */
const source = new AsyncLocalStorage<PostgresPool>();

/** Provides connections of `pool` to everything that `work` calls. */
export const readingFrom = <T>(pool: PostgresPool, work: () => Promise<T>): Promise<T> =>
  source.run(pool, work);

/** Returns true for reads of a specific server or point in time, which other requests cannot share. */
export const readsAlone = (): boolean => inSnapshot() || source.getStore() !== undefined;

/** Runs work outside the snapshot, on regular connections. Required for work that writes or that other requests share. */
export const outsideSnapshot = <T>(work: () => T): T => current.exit(() => source.exit(work));

/**
 * Returns the maximum number of rows that a statement of a paged list counts or searches. There is no limit within a snapshot, because a
 * snapshot reads the whole list.
 */
export const unlessWhole = (most: number): number => (inSnapshot() ? WHOLE : most);
const WHOLE = 2_000_000_000;

/** Wraps the pool so that it provides the snapshot's connection within a snapshot. */
export function snapshotPool(pool: PostgresPool): PostgresPool {
  return Object.create(pool, {
    connect: {
      value: async () => {
        const state = current.getStore();
        return state ? (await lend(state, pool)).shared : (source.getStore() ?? pool).connect();
      },
    },
    end: { value: () => pool.end() },
  });
}

export function createSnapshot(): Snapshot {
  const state: State = { lent: new Map(), cursors: new Map(), hasMore: undefined, isEnded: false };
  return {
    read: (work) => current.run(state, work),
    hasMore: () => state.hasMore,
    async end() {
      if (state.isEnded) return;
      state.isEnded = true;
      for (const [pool, lent] of state.lent) await giveBack(pool, await lent.catch(() => undefined));
    },
  };
}

/**
 * Returns the next `take` rows of a statement, read through a cursor. The first call for `key` opens the cursor, and later calls continue
 * where the last one stopped. Works only within a snapshot.
 */
export async function nextRows<Row>(
  db: QueryExecutorProvider,
  { key, statement, take }: { key: object; statement: RawBuilder<unknown>; take: number },
): Promise<Row[]> {
  const state = current.getStore()!;
  const known = state.cursors.get(key);
  const name = known ?? `rows_${state.cursors.size}`;
  if (known === undefined) {
    await sql`declare ${sql.ref(name)} no scroll cursor for ${statement}`.execute(db);
    state.cursors.set(key, name);
  }
  const { rows } = await sql<Row>`fetch ${sql.lit(take)} from ${sql.ref(name)}`.execute(db);
  state.hasMore = rows.length === take;
  return rows;
}

function lend(state: State, pool: PostgresPool): Promise<Lent> {
  if (state.isEnded) throw new Error('the snapshot has ended');
  const known = state.lent.get(pool);
  if (known !== undefined) return known;
  const lent = begin(pool);
  state.lent.set(pool, lent);
  lent.catch(() => state.lent.delete(pool));
  return lent;
}

async function begin(pool: PostgresPool): Promise<Lent> {
  const client = await outsideSnapshot(() => pool.connect());
  try {
    await client.query('start transaction isolation level repeatable read read only', []);
    const { rows } = await client.query<{ pid: number }>(SETTINGS, [String(STATEMENT_MS), String(IDLE_MS)]);
    return { client, shared: sharedClient(client), pid: rows[0]!.pid };
  } catch (error) {
    client.release(true);
    throw error;
  }
}

// The whole result is read, so a plan that returns the first rows quickly would be slower overall.
const SETTINGS = `select pg_backend_pid() as pid, set_config('statement_timeout', $1, true),
  set_config('idle_in_transaction_session_timeout', $2, true), set_config('cursor_tuple_fraction', '1', true)`;

const TRANSACTION = /^\s*(begin|start transaction|commit|rollback|savepoint|release)\b/i;

/** Returns a client that concurrent borrowers share. It ignores their transaction commands, so they run in the snapshot itself. */
function sharedClient(client: PostgresPoolClient): PostgresPoolClient {
  const query = async (text: string, values: unknown[]) => {
    const [command] = TRANSACTION.exec(text) ?? [];
    if (command !== undefined) return { command: command.trim().toUpperCase(), rowCount: 0, rows: [] };
    const timed = { text, values, query_timeout: STATEMENT_MS + 300 };
    return (client as pg.PoolClient).query(timed);
  };
  return Object.create(client, { query: { value: query }, release: { value: () => {} } });
}

/** Cancels a running statement, and returns the connection to the pool only if it is clean. */
async function giveBack(pool: PostgresPool, lent: Lent | undefined): Promise<void> {
  if (!lent) return;
  const { client, pid } = lent;
  const rolledBack = client.query('rollback', []).then(
    () => true,
    () => false,
  );
  if ((await within(CANCEL_AFTER_MS, rolledBack)) === undefined)
    await outsideSnapshot(() => cancel(pool, pid)).catch(() => undefined);
  const isClean = await within(STATEMENT_MS, rolledBack);
  client.release(isClean !== true);
}

const CANCEL_AFTER_MS = 200;

async function cancel(pool: PostgresPool, pid: number): Promise<void> {
  const client = await pool.connect();
  await client.query('select pg_cancel_backend($1)', [pid]).finally(() => client.release());
}
