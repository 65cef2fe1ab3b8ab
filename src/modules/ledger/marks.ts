import { type RawBuilder, sql } from 'kysely';
import { type Db, sqlState } from '../../platform/db.ts';
import { createHorizon } from './horizon.ts';

/** Movements between two marks. */
export const MARK_EVERY = 2000;
/** Lines that one statement reads while marks are set; a window of ids holds about so many. */
const BATCH = 50_000;
const WIDEST = 2n ** 40n;
/** No transaction that moves money lives longer: later ids are at most so much older. */
const SLACK_MS = 600_000;

/** All users. */
export const EVERYBODY = 0;

/** `rows` movements have ids below `id`; `latest` is the time of the latest of them. */
export type Mark = { rows: number; id: bigint; latest: Date | null };
/** Ids from `from` on and below `below`, and of these what was written between two times, bounds included. */
export type Range = {
  from: bigint;
  below: bigint | undefined;
  start?: Date | undefined;
  end?: Date | undefined;
};

const START: Mark = { rows: 0, id: 0n, latest: null };

export type Marks = ReturnType<typeof createMarks>;

/**
 * Where in the statement a line stands, of everybody or of one user (`scope`): a mark at every 2,000th movement, kept in a table and
 * set by whoever needs them first. Every line is read once for them.
 */
export function createMarks(db: Db) {
  const horizon = createHorizon(db);
  const runs = new Map<number, Promise<void>>();

  const run = async (scope: number): Promise<void> => {
    const below = await horizon();
    let last = await newest(db, scope);
    for (let width = BigInt(BATCH); last.id < below; ) {
      const isLast = scope !== EVERYBODY || last.id + width >= below;
      const next = await setMarks(db, { scope, last, below: isLast ? below : last.id + width });
      if (isLast && (scope === EVERYBODY || next.lines < BATCH)) return;
      if (next.lines < BATCH / 2 && width < WIDEST) width *= 4n;
      if (next.lines > BATCH * 2) width /= 4n;
      last = next.last ?? last;
    }
  };
  /** Sets the marks that can be set by now; who comes meanwhile waits for the same run. */
  const extend = (scope: number): Promise<void> => {
    const running = runs.get(scope) ?? run(scope).finally(() => runs.delete(scope));
    runs.set(scope, running);
    return running;
  };

  return {
    extend,

    /** How many movements there are. */
    async total(scope: number): Promise<number> {
      const last = await newest(db, scope);
      const behind = await countFrom(db, scope, last.id);
      if (behind < 2 * MARK_EVERY) return last.rows + behind;
      await extend(scope);
      const now = await newest(db, scope);
      return now.rows + (now.rows === last.rows ? behind : await countFrom(db, scope, now.id));
    },

    /** The last mark with `rows` movements before it, or fewer. */
    before: (scope: number, rows: number): Promise<Mark> => find(db, scope, sql`rows <= ${rows}`),

    /** The first mark with so many movements before it, or more; undefined where the list ends first. */
    async after(scope: number, rows: number): Promise<Mark | undefined> {
      const found = await marksOf(db, scope, { where: sql`rows >= ${rows}`, order: sql`rows` });
      return found[0];
    },

    /** About how many movements have smaller ids: short by MARK_EVERY at most, save behind the newest mark. */
    rowsBefore: async (scope: number, id: bigint): Promise<number> =>
      (await find(db, scope, sql`id <= ${id}`)).rows,

    /** What was written between two times: the ids outside of which nothing of it lies. */
    async between(start: Date | undefined, end: Date | undefined): Promise<Range> {
      const from = start ? await find(db, EVERYBODY, sql`latest < ${start}`) : START;
      const after = end && new Date(end.getTime() + SLACK_MS);
      const [below] = after
        ? await marksOf(db, EVERYBODY, { where: sql`latest > ${after}`, order: sql`latest, rows` })
        : [];
      return { from: from.id, below: below?.id, start, end };
    },

    /**
     * The part of a range in which the first `rows` movements in the order of the list lie, and some more, and whether that is all of
     * it.
     */
    async near(
      range: Range,
      { rows, isDescending }: { rows: number; isDescending: boolean },
    ): Promise<{ range: Range; isWhole: boolean }> {
      const { from, below } = range;
      if (isDescending) {
        const last = await find(db, EVERYBODY, below === undefined ? sql`true` : sql`id <= ${below}`);
        const first = await find(db, EVERYBODY, sql`rows <= ${Math.max(0, last.rows - rows)}`);
        const isWhole = first.id <= from;
        return { range: { ...range, from: isWhole ? from : first.id }, isWhole };
      }
      const first = await find(db, EVERYBODY, sql`id <= ${from}`);
      const where = sql`rows >= ${first.rows + rows + MARK_EVERY}`;
      const [last] = await marksOf(db, EVERYBODY, { where, order: sql`rows` });
      const isWhole = !last || (below !== undefined && last.id >= below);
      return { range: { ...range, below: isWhole ? below : last.id }, isWhole };
    },

    /** Takes new pages into the summary of ids. Another job on the table (a vacuum) goes first and does the same. */
    async summarize(): Promise<void> {
      try {
        await db.transaction().execute(async (tx) => {
          await sql`set local lock_timeout = '200ms'`.execute(tx);
          await sql`select brin_summarize_new_values('ledger_lines_id_brin')`.execute(tx);
        });
      } catch (error) {
        if (sqlState(error) !== '55P03') throw error;
      }
    },
  };
}

async function marksOf(
  db: Db,
  scope: number,
  { where, order }: { where: RawBuilder<unknown>; order: RawBuilder<unknown> },
): Promise<Mark[]> {
  const { rows } = await sql<{ rows: bigint; id: bigint; latest: Date }>`
    select rows, id, latest from ledger_marks where user_id = ${sql.lit(scope)} and ${where} order by ${order} limit 1`.execute(
    db,
  );
  return rows.map((row) => ({ ...row, rows: Number(row.rows) }));
}

const find = async (db: Db, scope: number, where: RawBuilder<unknown>): Promise<Mark> =>
  (await marksOf(db, scope, { where, order: sql`rows desc` }))[0] ?? START;

const newest = (db: Db, scope: number) => find(db, scope, sql`true`);

const own = (scope: number) => (scope === EVERYBODY ? sql`true` : sql`user_id = ${sql.lit(scope)}`);

/** Movements of a line: one for each of its sides that is a user's account. */
const MOVEMENTS = sql`((debit < 100)::int + (credit < 100)::int)`;

async function countFrom(db: Db, scope: number, id: bigint): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(${MOVEMENTS}), 0)::int as n from ledger_lines
    where ${own(scope)} and id >= ${id} and least(debit, credit) < 100`.execute(db);
  return rows[0]!.n;
}

/** Sets the marks that follow the last one, below an id; of one user as far as a batch of lines leads. */
async function setMarks(
  db: Db,
  { scope, last, below }: { scope: number; last: Mark; below: bigint },
): Promise<{ lines: number; last: Mark | undefined }> {
  const most = scope === EVERYBODY ? sql`` : sql`order by id limit ${sql.lit(BATCH)}`;
  const { rows } = await sql<{ lines: number; rows: bigint | null; id: bigint; latest: Date }>`
    with next as materialized (
      select id, created_at, ${MOVEMENTS} as n from ledger_lines
      where ${own(scope)} and id >= ${last.id} and id < ${below} and least(debit, credit) < 100 ${most}
    ), counted as (
      select id + 1 as id, n, ${last.rows}::int8 + sum(n) over w as rows,
        greatest(${last.latest}::timestamptz, max(created_at) over w) as latest
      from next window w as (order by id)
    ), marks as materialized (
      select rows, id, latest from counted
      where rows / ${sql.lit(MARK_EVERY)} > (rows - n) / ${sql.lit(MARK_EVERY)}
    ), written as (
      insert into ledger_marks (user_id, rows, id, latest) select ${sql.lit(scope)}, rows, id, latest from marks
      on conflict do nothing
    )
    select (select count(*)::int from next) as lines, newest.rows, newest.id, newest.latest
    from (select) one left join (select * from marks order by rows desc limit 1) newest on true`.execute(db);
  const { lines, rows: reached, id, latest } = rows[0]!;
  return { lines, last: reached === null ? undefined : { rows: Number(reached), id, latest } };
}
