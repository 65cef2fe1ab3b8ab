import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../database/db.ts';
import { sqlState } from '../database/errors.ts';
import type { Job, Overdue } from './jobs.ts';

/** Rows that expire `keepSeconds` after the time in one of their columns. The strings are SQL and never contain user input. */
export type Expiry = {
  table: string;
  /** The SQL expression of the time, written as in its index. */
  after: string;
  keepSeconds: number;
  /** The condition that selects the rows that expire. It equals the condition of a partial index. */
  where?: string;
  /** An indexed column that increases in the order of insertion. Used if the time itself has no index. */
  by?: string;
  /** The BRIN index on the time, if there is one. Large tables to which every bet writes have no other index on their time. */
  brin?: string;
};

export const DAY_SECONDS = 86_400;
/** Number of rows per statement. It limits how long a statement runs and how many rows it locks. */
const BATCH = 10_000;
/** Pages in a range of a BRIN index. This is PostgreSQL's default. */
const PAGES_PER_RANGE = 128;
/** Number of ranges (1 MB each) that one transaction rereads. */
const RANGES_AT_ONCE = 16;
/** Timeout for the table's lock. It is below `deadlock_timeout`, after which PostgreSQL would cancel an autovacuum that holds the lock. */
const LOCK_TIMEOUT = '200ms';

/** Creates a job that deletes expired rows in batches, each in a separate transaction, until none are left. */
export function purgeJob(
  db: Db,
  { name, everyMs, expiries }: { name: string; everyMs: number; expiries: readonly Expiry[] },
): Job {
  const purges = expiries.map((expiry) => createPurge(db, expiry));
  return {
    name,
    everyMs,
    overdue: expiries.map(overdueOf),
    run: async () => {
      for (const purge of purges) await purge();
    },
  };
}

/** Deletes expired rows in batches, each in a separate transaction, until none are left. For `brin` see purgeJob. */
export async function deleteDue(db: Db, expiry: Expiry & { brin?: never }): Promise<void> {
  while ((await deleteBatch(db, expiry)).deleted > 0);
}

/** Returns the time at which the oldest row was due for deletion. With a BRIN index, it may be the time of another overdue row. */
export function overdueOf({ table, after, keepSeconds, where, by = after, brin }: Expiry): Overdue {
  const due = sql.raw(`${after} + make_interval(secs => ${keepSeconds})`);
  const conditions = [where, brin && isDue({ after, keepSeconds })].filter(Boolean).join(' and ') || 'true';
  const order = brin ? '' : `order by ${by}`;
  return {
    table,
    due: () =>
      sql`select ${due} from ${sql.table(table)} where ${sql.raw(conditions)} ${sql.raw(order)} limit 1`,
  };
}

const isDue = ({ after, keepSeconds }: Pick<Expiry, 'after' | 'keepSeconds'>) =>
  `${after} < now() - make_interval(secs => ${keepSeconds})`;

function createPurge(db: Db, expiry: Expiry): () => Promise<void> {
  const { brin, ...plain } = expiry;
  if (brin === undefined) return () => deleteDue(db, plain);
  /**
   * The ranges of the previous run. They are summarised again, because a summary includes deleted rows until no transaction can see them.
   */
  let before = new Set<number>();
  return async () => {
    await summarize(db, brin, []);
    const touched = new Set<number>();
    for (let isLeft = true; isLeft; ) {
      const { deleted, ranges } = await deleteBatch(db, expiry);
      for (const range of ranges) touched.add(range);
      isLeft = deleted > 0;
    }
    const isDone = await summarize(db, brin, [...touched.union(before)]);
    before = isDone ? touched : touched.union(before);
  };
}

/** Deletes one batch. `ranges` contains the first page of each BRIN range in which rows were deleted. */
function deleteBatch(db: Db, expiry: Expiry): Promise<{ deleted: number; ranges: number[] }> {
  const { table, brin } = expiry;
  return transaction(db, async (tx) => {
    await useIndexes(tx);
    const { rows } = await sql<{ range: number; rows: number }>`
      with gone as (
        delete from ${sql.table(table)} where ctid = any(array(${sql.raw(batchOf(expiry))}))
        returning ctid)
      select ((ctid::text::point)[0]::int8 / ${sql.lit(PAGES_PER_RANGE)} * ${sql.lit(PAGES_PER_RANGE)})::float8 as range, count(*)::int as rows
      from gone group by 1`.execute(tx);
    return {
      deleted: rows.reduce((sum, { rows }) => sum + rows, 0),
      ranges: brin ? rows.map(({ range }) => range) : [],
    };
  });
}

function batchOf(expiry: Expiry): string {
  const { table, after, where, by, brin } = expiry;
  const condition = [isDue(expiry), where].filter(Boolean).join(' and ');
  if (by !== undefined)
    return `select ctid from (select ctid, * from ${table} order by ${by} limit ${BATCH}) oldest where ${condition}`;
  const order = brin ? '' : `order by ${after}`;
  return `select ctid from ${table} where ${condition} ${order} limit ${BATCH} for update skip locked`;
}

/** Disables sequential scans. The planner may expect many due rows and would then read the table from its beginning. */
export const useIndexes = (tx: Tx) => sql`set local enable_seqscan = off`.execute(tx);

/**
 * Writes the summaries of new pages and of these ranges. PostgreSQL never narrows a range of a BRIN index automatically. Without this
 * update, every later purge would read pages whose deleted rows were replaced by new ones. Returns false if another operation, such as a
 * vacuum, has locked the table.
 */
async function summarize(db: Db, index: string, ranges: readonly number[]): Promise<boolean> {
  try {
    for (let i = 0; i < ranges.length; i += RANGES_AT_ONCE)
      await locking(
        db,
        sql`select brin_desummarize_range(${index}::regclass, r), brin_summarize_range(${index}::regclass, r)
          from unnest(${`{${ranges.slice(i, i + RANGES_AT_ONCE).join(',')}}`}::int8[]) r`,
      );
    await locking(db, sql`select brin_summarize_new_values(${index}::regclass)`);
    return true;
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    return false;
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

const locking = (db: Db, statement: ReturnType<typeof sql>) =>
  transaction(db, async (tx) => {
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(tx);
    await statement.execute(tx);
  });
