import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type {
  LeaderboardSchedules,
  LeaderboardScores,
  Leaderboards,
} from '../../../platform/database/tables.ts';
import type { OrderedList } from '../../../platform/list/ordered.ts';
import { inOrderOf } from '../../../platform/list/page.ts';
import { type Units, units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { Prize } from './rules.ts';
import { leaderboardErrors, type PrizePlace, type SORTS, type Status } from './schemas.ts';

/** Dependencies of the consumer and the tasks. */
export type EngineDeps = {
  db: Db;
  siteConfig: Pick<SiteConfig, 'get'>;
  gate: Pick<Gate, 'assertMay' | 'geoBlockedAmong' | 'refusals'>;
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
};

/** The name of the consumer's cursor. */
export const CURSOR = 'leaderboards';

export type RunRow = Omit<Selectable<Leaderboards>, 'prizes' | 'status' | 'leaders'> & {
  status: Status;
  prizes: PrizePlace[];
  leaders: Leader[];
};
export type ScheduleRow = Omit<Selectable<LeaderboardSchedules>, 'id' | 'prizes'> & {
  id: ScheduleId;
  prizes: PrizePlace[];
};
export type ScoreRow = Selectable<LeaderboardScores>;
type ScheduleId = 'daily' | 'weekly' | 'monthly';
/** One of the first ten players of a run at the time of its last announcement. */
export type Leader = { userId: number; score: string };

/** Parses the id of a run. Returns undefined if no run can have this id. */
export const idOf = (text: string): number | undefined =>
  /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : undefined;

export const prizesOf = ({ prizes }: { prizes: readonly PrizePlace[] }): Prize[] =>
  prizes.map(({ place, usdAmount }) => ({ place, usdAmount: units(usdAmount) }));

const TYPE_OF = { daily: 'DAILY', weekly: 'WEEKLY', monthly: 'MONTHLY' } as const;
export const typeOf = ({ id }: { id: ScheduleId }) => TYPE_OF[id];

const SORT_COLUMNS = {
  startDate: 'start_date',
  endDate: 'end_date',
  createdAt: 'created_at',
} as const satisfies Record<(typeof SORTS)[number], string>;

type RunFilter = {
  status?: Status | undefined;
  type?: string | undefined;
  sortBy: (typeof SORTS)[number];
};

/** The runs that a filter selects, for the list engine. */
export const runList = ({ status, type, sortBy }: RunFilter): OrderedList => ({
  table: 'leaderboards',
  id: 'id',
  key: SORT_COLUMNS[sortBy],
  bounds: [],
  conditions: [
    ...(status === undefined ? [] : [sql`leaderboards.status = ${status}`]),
    ...(type === undefined ? [] : [sql`leaderboards.type = ${type}`]),
  ],
});

/** Throws 404 LEADERBOARD_NOT_FOUND. */
export async function getRun(db: DbOrTx, leaderboardId: string): Promise<RunRow> {
  const id = idOf(leaderboardId);
  const run = id === undefined ? undefined : await findRun(db, id);
  if (!run) throw leaderboardErrors.LEADERBOARD_NOT_FOUND();
  return run;
}

export async function findRun(db: DbOrTx, id: number): Promise<RunRow | undefined> {
  const row = await db.selectFrom('leaderboards').selectAll().where('id', '=', id).executeTakeFirst();
  return row as RunRow | undefined;
}

/** Returns runs in the order of the ids. */
export async function runsOf(db: DbOrTx, ids: readonly number[]): Promise<RunRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('leaderboards').selectAll().where('id', 'in', ids).execute();
  return inOrderOf(ids, rows as RunRow[], (row) => row.id);
}

/** Locks a run. In the lock order, runs come after players and before scores. */
export async function lockRun(tx: Tx, id: number): Promise<RunRow | undefined> {
  const row = await tx
    .selectFrom('leaderboards')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row as RunRow | undefined;
}

export async function readSchedules(db: DbOrTx): Promise<ScheduleRow[]> {
  const rows = await db.selectFrom('leaderboard_schedules').selectAll().orderBy('id').execute();
  return rows.map((row) => row as ScheduleRow);
}

export async function setStatus(tx: Tx, id: number, status: Status): Promise<void> {
  await tx
    .updateTable('leaderboards')
    .set({ status, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** The sort order of ranks: the higher score comes first; with equal scores, the one that was reached earlier; then the lower user id. */
export const STANDING = sql`s.score desc, s.reached_place, s.user_id`;

/** SQL: the number of players ahead of row `s`, counted with an index-only scan. */
export const BETTER: RawBuilder<bigint> = sql`(
  (select count(*) from leaderboard_scores b where b.leaderboard_id = s.leaderboard_id and b.score > s.score)
  + (select count(*) from leaderboard_scores b where b.leaderboard_id = s.leaderboard_id and b.score = s.score
      and (b.reached_place, b.user_id) < (s.reached_place, s.user_id)))`;

/** SQL: the number of players behind row `s`, counted with an index-only scan. */
const WORSE: RawBuilder<bigint> = sql`(
  (select count(*) from leaderboard_scores b where b.leaderboard_id = s.leaderboard_id and b.score < s.score)
  + (select count(*) from leaderboard_scores b where b.leaderboard_id = s.leaderboard_id and b.score = s.score
      and (b.reached_place, b.user_id) > (s.reached_place, s.user_id)))`;

export type Top = { userId: number; score: string; prizeUsd: Units | null };

/** Returns the first players of a run, sorted by rank. */
export async function topOf(db: DbOrTx, runId: number, most: number, offset = 0): Promise<Top[]> {
  const { rows } = await sql<Top>`
    select s.user_id as "userId", s.score::text as score, s.prize_usd as "prizeUsd" from leaderboard_scores s
    where s.leaderboard_id = ${runId} order by ${STANDING} limit ${most} offset ${offset}`.execute(db);
  return rows;
}

/** Returns the median score of a run, or null if it has no participants. */
export async function middleOf(db: DbOrTx, { id, participants }: RunRow): Promise<string | null> {
  const [middle] = await topOf(db, id, 1, Math.floor(participants / 2));
  return middle?.score ?? null;
}

export type OwnStanding = { score: Units; place: number; prizeUsd: Units | null };

/**
 * Returns a player's rank and score, or undefined if the player has no score. `middle` is a recent median score of the run. It determines
 * whether counting from the top or from the bottom of the standings is faster.
 */
export async function standingOf(
  db: DbOrTx,
  { runId, userId, middle }: { runId: number; userId: number; middle: string | null },
): Promise<OwnStanding | undefined> {
  const { rows } = await sql<{ score: string; place: number; prizeUsd: Units | null }>`
    select s.score::text as score, s.prize_usd as "prizeUsd",
      coalesce(s.place, case when s.score < ${middle}::numeric then r.participants - ${WORSE}::int4 else ${BETTER}::int4 + 1 end) as place
    from leaderboard_scores s join leaderboards r on r.id = s.leaderboard_id
    where s.leaderboard_id = ${runId} and s.user_id = ${userId}`.execute(db);
  const [row] = rows;
  return row && { ...row, score: BigInt(row.score) };
}
