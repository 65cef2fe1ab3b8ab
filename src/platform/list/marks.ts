import { type RawBuilder, sql } from 'kysely';
import type { Db, DbOrTx } from '../db.ts';
import type { Range } from './conditions.ts';
import { EVERYBODY, MARK_EVERY, type Mark, type MarkedList } from './marked-list.ts';
import { createMarkSetter } from './set-marks.ts';

/** No transaction that writes such a list lives longer: later ids are at most so much older. */
const SLACK_MS = 600_000;
/** Marks may be missing for a while: lists count on from the last one. */
export const MARKS_LEAST_MS = 30_000;

const START: Mark = { rows: 0, id: 0n, latest: null };

export type Marks = ReturnType<typeof createMarks>;

/**
 * The positions of rows in a list: a mark at every 2,000th row, kept in a table and set by whoever needs it first. Each row is read
 * once for that. Rows and marks are read from `reads`, so that both are as of one time where that is a replica.
 */
export function createMarks(db: Db, list: MarkedList, reads: Db = db) {
  const runs = new Map<number, Promise<boolean>>();
  const read = readMarks(reads, list);
  const written = readMarks(db, list);
  const setter = createMarkSetter(db, list, (scope) => written.before(scope, undefined));

  /** Sets the marks that can be set by now; concurrent callers share one run. Answers whether ids were taken since. */
  const extend = (scope: number): Promise<boolean> => {
    const running = runs.get(scope) ?? setter.set(scope).finally(() => runs.delete(scope));
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

    /** How many rows there are. */
    total,

    /** The ids outside of which nothing lies that was written between two times, if any are given. */
    async rangeOf(start: Date | undefined, end: Date | undefined): Promise<Range> {
      if (!start && !end) return { from: 0n, below: undefined };
      // What was written lately has no mark yet.
      await total(EVERYBODY);
      return read.between(start, end);
    },

    /** How many rows have ids in a range, or a few more. */
    async sizeOf(scope: number, { from, below }: Range): Promise<number> {
      const [before, until] = await Promise.all([
        from > 0n ? read.rowsBefore(scope, from) : 0,
        below === undefined ? total(scope) : read.rowsBefore(scope, below),
      ]);
      return until - before + (below === undefined ? 0 : MARK_EVERY);
    },
  };
}

/** The marks as they are; within a transaction, as it sees them. */
export function readMarks(db: DbOrTx, list: MarkedList) {
  type Which = { where: RawBuilder<unknown>; order: RawBuilder<unknown> };
  const marksOf = async (scope: number, { where, order }: Which): Promise<Mark[]> => {
    const { rows } = await sql<{ rows: bigint; id: bigint; latest: Date }>`
      select greatest(rows - ${list.archived(scope)}, 0) as rows, id, latest from ${list.marks}
      where user_id = ${sql.lit(scope)} and ${where} order by ${order} limit 1`.execute(db);
    return rows.map((row) => ({ ...row, rows: Number(row.rows) }));
  };
  const find = async (scope: number, where: RawBuilder<unknown>): Promise<Mark> =>
    (await marksOf(scope, { where, order: sql`rows desc` }))[0] ?? START;

  return {
    /** How many rows there are, and whether so many of them follow the newest mark that others should be set. */
    async count(scope: number): Promise<{ total: number; isFar: boolean }> {
      const last = await find(scope, sql`true`);
      const { rows } = await sql<{ n: number }>`
        select coalesce(sum(${list.weight}), 0)::int as n from ${list.table}
        where ${list.within(scope, last.id)} and ${list.counts}`.execute(db);
      const behind = rows[0]!.n;
      return { total: last.rows + behind, isFar: behind >= 2 * MARK_EVERY };
    },

    /** The last mark with `rows` before it, or fewer; undefined: the newest. */
    before: (scope: number, rows: number | undefined): Promise<Mark> =>
      find(scope, rows === undefined ? sql`true` : sql`rows <= ${rows} + ${list.archived(scope)}`),

    /** The first mark with so many rows before it, or more; undefined where the list ends first. */
    async after(scope: number, rows: number): Promise<Mark | undefined> {
      const found = await marksOf(scope, {
        where: sql`rows >= ${rows} + ${list.archived(scope)}`,
        order: sql`rows`,
      });
      return found[0];
    },

    /** About how many rows have smaller ids: short by MARK_EVERY at most, save behind the newest mark. */
    rowsBefore: async (scope: number, id: bigint): Promise<number> =>
      (await find(scope, sql`id <= ${id}`)).rows,

    /** What was written between two times: the ids outside of which nothing of it lies. */
    async between(start: Date | undefined, end: Date | undefined): Promise<Range> {
      const from = start ? await find(EVERYBODY, sql`latest < ${start}`) : START;
      const after = end && new Date(end.getTime() + SLACK_MS);
      const [last] = after
        ? await marksOf(EVERYBODY, { where: sql`latest > ${after}`, order: sql`latest, rows` })
        : [];
      return { from: from.id, below: last?.id, start, end };
    },

    /**
     * The part of a range in which the first `rows` in the order of the list lie, and some more, and whether that is all of it.
     */
    async near(
      range: Range,
      { rows, isDescending }: { rows: number; isDescending: boolean },
    ): Promise<{ range: Range; isWhole: boolean }> {
      const { from, below } = range;
      if (isDescending) {
        const last = await find(EVERYBODY, below === undefined ? sql`true` : sql`id <= ${below}`);
        const first = await find(
          EVERYBODY,
          sql`rows <= ${Math.max(0, last.rows - rows)} + ${list.archived(EVERYBODY)}`,
        );
        const isWhole = first.id <= from;
        return { range: { ...range, from: isWhole ? from : first.id }, isWhole };
      }
      const first = await find(EVERYBODY, sql`id <= ${from}`);
      const where = sql`rows >= ${first.rows + rows + MARK_EVERY} + ${list.archived(EVERYBODY)}`;
      const [last] = await marksOf(EVERYBODY, { where, order: sql`rows` });
      const isWhole = !last || (below !== undefined && last.id >= below);
      return { range: { ...range, below: isWhole ? below : last.id }, isWhole };
    },
  };
}
