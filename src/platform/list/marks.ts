import { sql } from 'kysely';
import type { Db } from '../database/db.ts';
import { outsideSnapshot } from '../database/snapshot.ts';
import type { Range } from './conditions.ts';
import { EVERYBODY, MARK_EVERY, type Mark, type MarkedList, readMarks } from './marked-list.ts';

/**
 * How long the check for new marks may be skipped while no ids are assigned. Late marks are harmless, because the rows after the last mark
 * are counted.
 */
export const MARKS_LEAST_MS = 30_000;

export type Marks = ReturnType<typeof createMarks>;

/**
 * Finds the positions of rows in a list with a mark at every 2,000th row. Marks are stored in a table and set by the first process that
 * needs them. Setting them reads each row once. Rows and marks are both read from `reads`, so that they are consistent even on a replica.
 */
export function createMarks(db: Db, list: MarkedList, reads: Db = db) {
  const runs = new Map<number, Promise<boolean>>();
  const read = readMarks(reads, list);
  const written = readMarks(db, list);
  const setter = createMarkSetter(db, list, (scope) => written.before(scope, undefined));

  /** Sets all marks that can be set now. Concurrent callers share one run. Returns whether new ids were assigned since the last run. */
  const extend = (scope: number): Promise<boolean> => {
    const running =
      runs.get(scope) ?? outsideSnapshot(() => setter.set(scope)).finally(() => runs.delete(scope));
    runs.set(scope, running);
    return running;
  };

  const total = async (scope: number): Promise<number> => {
    const counted = await read.count(scope);
    if (!counted.isFar) return counted.total;
    await extend(scope);
    return (await read.count(scope)).total;
  };

  return {
    ...read,
    extend,
    hasNews: setter.hasNews,

    /** Returns the number of rows. */
    total,

    /** Returns an id range that contains all rows written between two times. Without times, it contains the whole list. */
    async rangeOf(start: Date | undefined, end: Date | undefined): Promise<Range> {
      if (!start && !end) return { from: 0n, below: undefined };
      // There is no mark yet for recent rows.
      await total(EVERYBODY);
      return read.between(start, end);
    },

    /** Returns the number of rows with ids in a range. The result may be slightly too high. */
    async sizeOf(scope: number, { from, below }: Range): Promise<number> {
      const [before, until] = await Promise.all([
        from > 0n ? read.rowsBefore(scope, from) : 0,
        below === undefined ? total(scope) : read.rowsBefore(scope, below),
      ]);
      return until - before + (below === undefined ? 0 : MARK_EVERY);
    },
  };
}

/**
 * `BATCH`: approximate number of rows that one statement reads while it sets marks. `NARROW`: width of the first id range, which contains
 * at most as many rows.
 */
const BATCH = 50_000;
const NARROW = 50_000n;

/**
 * Sets the marks of a list that can be set now, for one user or for all users. For all users it keeps its progress in memory, so it reads
 * no rows if no ids were assigned since the last run. Returns whether ids were assigned.
 */
function createMarkSetter(db: Db, list: MarkedList, newest: (scope: number) => Promise<Mark>) {
  const safeWatermark = list.watermark(db);
  /** The progress so far: `lines` rows have ids between the last mark (`mark`) and `to`. They are too few for another mark. */
  let done = { mark: 0n, to: 0n, lines: 0 };

  const ofUser = async (scope: number): Promise<boolean> => {
    const end = await safeWatermark();
    for (let last = await newest(scope); ; ) {
      const next = await setMarks(db, list, { scope, last, end });
      if (next.lines < BATCH || !next.last) return true;
      last = next.last;
    }
  };

  const ofEverybody = async (): Promise<boolean> => {
    const end = await safeWatermark();
    if (end <= done.to) return false;
    let last = await newest(EVERYBODY);
    if (done.mark !== last.id) done = { mark: last.id, to: last.id, lines: 0 };
    // Empty partitions are skipped, because they contain too many ids to step through.
    if (list.partitionOf(done.to) < list.partitionOf(end))
      done.to = await nextWithRows(db, list, done.to, end);
    for (let width = NARROW; done.to < end; ) {
      const to = least(done.to + width, end);
      const next = await setMarks(db, list, { scope: EVERYBODY, last, end: to });
      const found = next.lines - done.lines;
      last = next.last ?? last;
      done = { mark: last.id, to: next.last?.id ?? to, lines: next.last ? 0 : next.lines };
      width = widthAfter(width, found);
      if (found !== 0 || to === end) continue;
      done.to = await nextWithRows(db, list, to, end);
      if (done.to !== to) width = NARROW;
    }
    return true;
  };

  return {
    set: (scope: number): Promise<boolean> => (scope === EVERYBODY ? ofEverybody() : ofUser(scope)),
    /**
     *  Returns true if rows have been added since the marks of all users were last set. Ids of rows of other tables are skipped, because the
     * tables share one id sequence.
     */
    hasNews: async (): Promise<boolean> => {
      const from = done.to;
      const end = await safeWatermark();
      if (end <= from) return false;
      if (await hasRows(db, list, from, end)) return true;
      if (done.to === from) done.to = end;
      return false;
    },
  };
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function widthAfter(width: bigint, found: number): bigint {
  if (found === 0) return width * 16n;
  if (found < BATCH / 2) return width * 4n;
  return found > BATCH * 2 && width > NARROW ? width / 4n : width;
}

/**
 * Skips empty partitions and returns the id at which to continue. Between `from` and this id there are no rows, and its partition has rows
 * after it. Returns `end` if there are no rows below `end`.
 */
async function nextWithRows(db: Db, list: MarkedList, from: bigint, end: bigint): Promise<bigint> {
  const { rows: parts } = await sql<{ first: bigint; below: bigint }>`
    select greatest(first, ${from}::int8) as first, least(below, ${end}::int8) as below
    from pg_inherits join pg_class on pg_class.oid = inhrelid, pg_get_expr(relpartbound, inhrelid) bound,
      lateral (select coalesce((regexp_match(bound, 'FROM \\(''?(\\d+)'))[1]::int8, 0) as first,
        (regexp_match(bound, 'TO \\(''?(\\d+)'))[1]::int8 as below) ids
    where inhparent = ${list.name}::regclass and below > ${from} and first < ${end}
    order by first`.execute(db);
  for (const { first, below } of parts) if (await hasRows(db, list, first, below)) return first;
  return end;
}

/**
 * Returns true if there are rows in the id range. The bounds are literals, so the planner recognises that few rows are between them and
 * uses the id index.
 */
async function hasRows(db: Db, list: MarkedList, from: bigint, below: bigint): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${list.table}
      where id >= ${sql.lit(from)} and id < ${sql.lit(below)}) as found`.execute(db);
  return rows[0]!.found;
}

/** Sets the marks that follow the last one, below an id. For one user it reads at most one batch of rows. */
async function setMarks(
  db: Db,
  list: MarkedList,
  { scope, last, end }: { scope: number; last: Mark; end: bigint },
): Promise<{ lines: number; last: Mark | undefined }> {
  const most = scope === EVERYBODY ? sql`` : sql`order by ${list.order(scope)} limit ${sql.lit(BATCH)}`;
  const { rows } = await sql<{ lines: number; rows: bigint | null; id: bigint; latest: Date }>`
    with next as materialized (
      select id, created_at, ${list.weight} as n from ${list.table}
      where ${list.within(scope, last.id, end)} and ${list.counts} ${most}
    ), counted as (
      select id + 1 as id, n, ${last.rows}::int8 + ${list.archived(scope)} + sum(n) over w as rows,
        greatest(${last.latest}::timestamptz, max(created_at) over w) as latest
      from next window w as (order by id)
    ), marks as materialized (
      select rows, id, latest from counted
      where rows / ${sql.lit(MARK_EVERY)} > (rows - n) / ${sql.lit(MARK_EVERY)}
    ), written as (
      insert into ${list.marks} (user_id, rows, id, latest) select ${sql.lit(scope)}, rows, id, latest from marks
      on conflict do nothing
    )
    select (select count(*)::int from next) as lines, newest.rows - ${list.archived(scope)} as rows,
      newest.id, newest.latest
    from (select) one left join (select * from marks order by rows desc limit 1) newest on true`.execute(db);
  const { lines, rows: reached, id, latest } = rows[0]!;
  return { lines, last: reached === null ? undefined : { rows: Number(reached), id, latest } };
}
