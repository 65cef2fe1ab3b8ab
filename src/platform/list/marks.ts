import { type RawBuilder, sql } from 'kysely';
import type { Db, DbOrTx } from '../database/db.ts';
import { outsideSnapshot } from '../database/snapshot.ts';
import type { Range } from './conditions.ts';
import { EVERYBODY, MARK_EVERY, type Mark, type MarkedList } from './marked-list.ts';
import { createMarkSetter } from './set-marks.ts';

/**
 * Maximum duration of a transaction that writes such a list. A row's timestamp can be earlier than that of a smaller id by at most this
 * time.
 */
const SLACK_MS = 600_000;
/** New marks may be set late, because lists count the rows after the last mark. */
export const MARKS_LEAST_MS = 30_000;

const START: Mark = { rows: 0, id: 0n, latest: null };

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

    /** Returns an id range that contains all rows written between two times. Without times it is the whole list. */
    async rangeOf(start: Date | undefined, end: Date | undefined): Promise<Range> {
      if (!start && !end) return { from: 0n, below: undefined };
      // Recent rows have no mark yet.
      await total(EVERYBODY);
      return read.between(start, end);
    },

    /** Returns the number of rows with ids in a range, or slightly more. */
    async sizeOf(scope: number, { from, below }: Range): Promise<number> {
      const [before, until] = await Promise.all([
        from > 0n ? read.rowsBefore(scope, from) : 0,
        below === undefined ? total(scope) : read.rowsBefore(scope, below),
      ]);
      return until - before + (below === undefined ? 0 : MARK_EVERY);
    },
  };
}

/** Reads the stored marks. Within a transaction it reads the transaction's view. */
export function readMarks(db: DbOrTx, list: MarkedList) {
  const first = (scope: number, where: RawBuilder<unknown>, order: RawBuilder<unknown>) =>
    firstMark(db, list, { scope, where, order });
  const last = async (scope: number, where: RawBuilder<unknown>): Promise<Mark> =>
    (await first(scope, where, sql`rows desc`)) ?? START;
  /** Returns the first mark with at least `rows` rows before it. Undefined if the list ends first. */
  const after = (scope: number, rows: number): Promise<Mark | undefined> =>
    first(scope, sql`rows >= ${rows} + ${list.archived(scope)}`, sql`rows`);

  /** Returns the last mark with at most `rows` rows before it. Without `rows` it returns the newest mark. */
  const before = (scope: number, rows: number | undefined): Promise<Mark> =>
    last(scope, rows === undefined ? sql`true` : sql`rows <= ${rows} + ${list.archived(scope)}`);

  return {
    before,
    after,

    /** Returns the number of rows. `isFar` is true if so many rows follow the newest mark that new marks should be set. */
    async count(scope: number): Promise<{ total: number; isFar: boolean }> {
      const newest = await last(scope, sql`true`);
      const { rows } = await sql<{ n: number }>`
        select coalesce(sum(${list.weight}), 0)::int as n from ${list.table}
        where ${list.within(scope, newest.id)} and ${list.counts}`.execute(db);
      const { n } = rows[0]!;
      return { total: newest.rows + n, isFar: n >= 2 * MARK_EVERY };
    },

    /** Returns the number of rows with smaller ids. It is at most MARK_EVERY too low, except for ids after the newest mark. */
    rowsBefore: async (scope: number, id: bigint): Promise<number> =>
      (await last(scope, sql`id <= ${id}`)).rows,

    /** Returns an id range outside of which no row was written between two times. */
    async between(start: Date | undefined, end: Date | undefined): Promise<Range> {
      const from = start ? await last(EVERYBODY, sql`latest < ${start}`) : START;
      const below =
        end &&
        (await first(EVERYBODY, sql`latest > ${new Date(end.getTime() + SLACK_MS)}`, sql`latest, rows`));
      return { from: from.id, below: below?.id, start, end };
    },

    /** Returns the part of a range with the first `rows` rows in list order and some more. `isWhole`: it is the entire range. */
    async near(
      range: Range,
      { rows, isDescending }: { rows: number; isDescending: boolean },
    ): Promise<{ range: Range; isWhole: boolean }> {
      const { from, below } = range;
      if (isDescending) {
        const end = await last(EVERYBODY, below === undefined ? sql`true` : sql`id <= ${below}`);
        const begin = await before(EVERYBODY, Math.max(0, end.rows - rows));
        const isWhole = begin.id <= from;
        return { range: { ...range, from: isWhole ? from : begin.id }, isWhole };
      }
      const begin = await last(EVERYBODY, sql`id <= ${from}`);
      const end = await after(EVERYBODY, begin.rows + rows + MARK_EVERY);
      const isWhole = !end || (below !== undefined && end.id >= below);
      return { range: { ...range, below: isWhole ? below : end.id }, isWhole };
    },
  };
}

async function firstMark(
  db: DbOrTx,
  list: MarkedList,
  { scope, where, order }: { scope: number; where: RawBuilder<unknown>; order: RawBuilder<unknown> },
): Promise<Mark | undefined> {
  const { rows } = await sql<{ rows: bigint; id: bigint; latest: Date }>`
    select greatest(rows - ${list.archived(scope)}, 0) as rows, id, latest from ${list.marks}
    where user_id = ${sql.lit(scope)} and ${where} order by ${order} limit 1`.execute(db);
  const [mark] = rows;
  return mark && { ...mark, rows: Number(mark.rows) };
}
