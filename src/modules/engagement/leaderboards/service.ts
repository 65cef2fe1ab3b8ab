import { sql } from 'kysely';
import { untilNone } from '../../../platform/database/batches.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Overdue } from '../../../platform/jobs/jobs.ts';
import { sharedByKey, sharedFor } from '../../../platform/limits/shared-read.ts';
import { createRecent } from '../../../platform/recent.ts';
import type { StaffValueDeps } from '../../base/staff-value/service.ts';
import { type UserRow, usersById } from '../../base/users/service.ts';
import { createConsumer, type OnConsumed } from '../../games/bets/consume.ts';
import { createAdvance, PAY_PRIZE } from './advance.ts';
import { apply } from './count.ts';
import { payAutomatically } from './prizes.ts';
import { CURSOR, type EngineDeps, findRun, middleOf, type RunRow, type Top, topOf } from './queries.ts';
import { ADVANCE, ANNOUNCE, announceLater } from './runs.ts';

export type Leaderboards = {
  consumer: ReturnType<typeof createConsumer>;
  boards: Boards;
  tasks: Record<typeof ADVANCE | typeof ANNOUNCE | typeof PAY_PRIZE, (payload: unknown) => Promise<void>>;
};

/** Creates the consumer of bets, the cached standings, and the tasks that end runs and pay prizes. */
export const createLeaderboards = (deps: EngineDeps & { onConsumed: OnConsumed }): Leaderboards => ({
  /** The consumer may be rebuilt. A rebuild does not change frozen ranks or paid prizes. */
  consumer: createConsumer(
    deps.db,
    { name: CURSOR, apply: (tx, slice) => apply(tx, deps, slice) },
    deps.onConsumed,
  ),
  boards: createBoards(deps.db),
  tasks: {
    [ADVANCE]: createAdvance(deps),
    [ANNOUNCE]: (payload) => announceLater(deps, payload),
    [PAY_PRIZE]: (payload) => payAutomatically(deps, payload),
  },
});

export type LeaderboardDeps = EngineDeps &
  StaffValueDeps & {
    /** Database for staff lists. It may be a replica that lags behind. */
    reads: Db;
    leaderboards: { boards: Boards };
  };

/** The time for which all callers share the same standings. */
const SHARED_MS = 2000;
/** The median is cached longer, because it changes slowly and finding it reads half of the index. */
const MIDDLE_MS = 60_000;
/** The maximum number of leaderboards whose standings are cached. */
const KEPT = 100;

/** The number of ranks to read, starting from the first. */
export const TOP = 50;

/** A run with its first players. */
export type Board = { run: RunRow; top: Top[]; users: Map<number, UserRow> };

type Boards = ReturnType<typeof createBoards>;

/** Caches the standings of runs. */
function createBoards(db: Db) {
  const boards = createRecent<() => Promise<Board | undefined>>(KEPT);
  const middles = sharedByKey(MIDDLE_MS, KEPT);
  return {
    /** Returns undefined if the run does not exist. */
    find: (id: number): Promise<Board | undefined> => {
      const name = String(id);
      const cached = boards.get(name) ?? sharedFor(SHARED_MS, () => readBoard(db, id));
      if (!boards.has(name)) boards.set(name, cached);
      return cached();
    },
    /** Returns the median score, which may be up to a minute old. */
    middle: (run: RunRow): Promise<string | null> => middles(String(run.id), () => middleOf(db, run)),
  };
}

export async function readBoard(db: Db, id: number): Promise<Board | undefined> {
  const run = await findRun(db, id);
  if (!run) return undefined;
  const top = await topOf(db, id, TOP);
  const userIds = top.map(({ userId }) => userId);
  const users = await usersById(db, userIds);
  return { run, top, users };
}

const BATCH = 10_000;
const TO_PURGE = sql`not is_purged and status in ('FINISHED', 'CANCELLED')`;

export const OVERDUE: Overdue = {
  table: 'leaderboard_bets',
  due: () =>
    sql`select end_date + interval '90 days' from leaderboards where ${TO_PURGE} order by end_date limit 1`,
};

/** Deletes the list of counted bets for each run that ended more than 90 days ago, one run at a time. Keeps scores and prizes. */
export async function purgeBets(db: Db): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select id from leaderboards where ${TO_PURGE}
      and end_date < now() - interval '90 days' order by end_date`.execute(db);
  for (const { id } of rows) {
    await untilNone(
      db,
      sql`delete from leaderboard_bets where ctid = any(array(
        select ctid from leaderboard_bets where leaderboard_id = ${id} limit ${BATCH}))`,
    );
    await sql`update leaderboards set is_purged = true where id = ${id}`.execute(db);
  }
}
