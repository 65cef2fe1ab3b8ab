import { type RawBuilder, sql } from 'kysely';
import type { Db, DbOrTx } from '../database/db.ts';
import type { Range } from './conditions.ts';
import type { Found, PageRequest } from './page.ts';

/** Number of rows between two marks. */
export const MARK_EVERY = 2000;
/** The scope that covers all users. */
export const EVERYBODY = 0;

/** A mark: `rows` rows of the list have ids below `id`. `latest` is the latest timestamp of these rows. */
export type Mark = { rows: number; id: bigint; latest: Date | null };

/** A list in id order whose rows never disappear, and the table of its marks. It has one scope for all users and one for each user. */
export type MarkedList = {
  /** The table of marks: user_id (the scope), rows, id, latest. */
  marks: RawBuilder<unknown>;
  /** The partitioned table, as a name and as SQL. */
  name: string;
  table: RawBuilder<unknown>;
  /** Number of archived rows of a scope. Marks count these rows, but lists do not. */
  archived: (scope: number) => RawBuilder<unknown>;
  /** `counts`: condition for the table rows that the list shows. `weight`: the number of list rows that each of them produces. */
  counts: RawBuilder<unknown>;
  weight: RawBuilder<unknown>;
  /**
   * The rows of a scope with ids from `from` (inclusive) to `below` (exclusive), and their order in the index that is used to find them.
   */
  within: (scope: number, from: bigint, below?: bigint) => RawBuilder<unknown>;
  order: (scope: number) => RawBuilder<unknown>;
  /** Returns the safe watermark: no row will be added below this id. */
  watermark: (db: Db) => () => Promise<bigint>;
  /** Returns the number of the partition that an id belongs to. */
  partitionOf: (id: bigint) => number;
};

/**
 * Maximum duration of a transaction that writes to such a list. A row's timestamp can be earlier than that of a row with a smaller id by at
 * most this time.
 */
const SLACK_MS = 600_000;
const START: Mark = { rows: 0, id: 0n, latest: null };

/** Reads the stored marks. Within a transaction it sees the data that the transaction sees. */
export function readMarks(db: DbOrTx, list: MarkedList) {
  const first = (scope: number, where: RawBuilder<unknown>, order: RawBuilder<unknown>) =>
    firstMark(db, list, { scope, where, order });
  const last = async (scope: number, where: RawBuilder<unknown>): Promise<Mark> =>
    (await first(scope, where, sql`rows desc`)) ?? START;
  /** Returns the first mark with at least `rows` rows before it, or undefined if the list has no such mark. */
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

    /** Returns the number of rows with smaller ids. The result is at most MARK_EVERY too low, except for ids after the newest mark. */
    rowsBefore: async (scope: number, id: bigint): Promise<number> =>
      (await last(scope, sql`id <= ${id}`)).rows,

    /** Returns an id range that contains all rows written between two times. */
    async between(start: Date | undefined, end: Date | undefined): Promise<Range> {
      const from = start ? await last(EVERYBODY, sql`latest < ${start}`) : START;
      const below =
        end &&
        (await first(EVERYBODY, sql`latest > ${new Date(end.getTime() + SLACK_MS)}`, sql`latest, rows`));
      return { from: from.id, below: below?.id, start, end };
    },

    /** Returns a subrange that contains the first `rows` rows in list order. `isWhole` is true if it is the entire range. */
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

type Reader = Pick<ReturnType<typeof readMarks>, 'before' | 'after'>;
/** Selects `take` rows in id order, starting at id `from` and skipping the first `skip` rows. Excludes the ids in `others`. */
type Place = {
  from: bigint;
  below: bigint | undefined;
  others: readonly bigint[];
  skip: number;
  take: number;
};
type Ranked<R> = {
  scope: number;
  /** Number of rows in the scope. */
  all: number;
  /** Ids of rows of the scope to exclude, ascending. */
  others?: readonly bigint[];
  /** If true, the read stops at the first mark after the page. */
  isBounded?: boolean;
  read: (place: Place) => Promise<R[]>;
};

/**
 * Returns a page of a list in which the position of every row is known. Positions are counted from the oldest row, so later rows do not
 * change them. Reads one mark and at most MARK_EVERY rows between it and the page.
 */
export async function rankedPage<R>(
  marks: Reader,
  { page, take: most, sortOrder }: PageRequest,
  { scope, all, others = [], isBounded = false, read }: Ranked<R>,
): Promise<Found<R>> {
  const total = all - others.length;
  const begin = (page - 1) * most;
  if (begin >= total) return { total, rows: [] };
  const take = Math.min(most, total - begin);
  const isDescending = sortOrder === 'desc';
  const oldest = isDescending ? total - begin - take : begin;
  const [{ mark, rows }, after] = await Promise.all([
    markBefore((n) => marks.before(scope, n), others, oldest),
    isBounded ? marks.after(scope, oldest + take) : undefined,
  ]);
  const found = await read({
    from: mark.id,
    below: after?.id,
    others: others.slice(countBelow(others, mark.id)),
    skip: oldest - rows,
    take,
  });
  return { total, rows: isDescending ? found.reverse() : found };
}

/** Returns the last mark with at most `oldest` rows before it, not counting `others`, and the number of those rows. */
async function markBefore(
  before: (rows: number) => Promise<Mark>,
  others: readonly bigint[],
  oldest: number,
): Promise<{ mark: Mark; rows: number }> {
  for (let left = 0; ; ) {
    const mark = await before(oldest + left);
    const now = countBelow(others, mark.id);
    if (now === left) return { mark, rows: mark.rows - left };
    left = now;
  }
}

/** Returns how many of the ascending ids are smaller than `id`. */
function countBelow(ids: readonly bigint[], id: bigint): number {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ids[middle]! < id) from = middle + 1;
    else to = middle;
  }
  return from;
}
