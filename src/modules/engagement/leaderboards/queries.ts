import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import type { LeaderboardSchedules, LeaderboardScores, Leaderboards } from '../../../platform/database.ts';
import type { DbOrTx, Tx } from '../../../platform/db.ts';
import { formatUnits, type Units, units } from '../../../platform/money.ts';
import type { Prize } from './rules.ts';
import type { LeaderboardSchedule, PrizePlace, Status } from './schemas.ts';

/** The cursor of the consumer. */
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
export type ScheduleId = 'daily' | 'weekly' | 'monthly';
/** One of the first ten, as it was announced. */
export type Leader = { userId: number; score: string };

/** Runs and schedules are asked for by their ids as text; undefined: there can be none. */
export const idOf = (text: string): number | undefined =>
  /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : undefined;

export const prizesOf = ({ prizes }: { prizes: readonly PrizePlace[] }): Prize[] =>
  prizes.map(({ place, usdAmount }) => ({ place, usdAmount: units(usdAmount) }));

/** The settings as they are shown. */
export const configOf = <T extends string>(
  row: Pick<
    ScheduleRow,
    | 'name'
    | 'description'
    | 'currency_id'
    | 'min_bet_usd'
    | 'prizes'
    | 'categories'
    | 'provider_ids'
    | 'game_slugs'
  >,
  type: T,
) => ({
  name: row.name,
  description: row.description,
  type,
  currencyId: row.currency_id,
  minBetUsd: formatUnits(row.min_bet_usd),
  prizes: row.prizes,
  eligible: { categories: row.categories, providerIds: row.provider_ids, gameSlugs: row.game_slugs },
});

const TYPE_OF = { daily: 'DAILY', weekly: 'WEEKLY', monthly: 'MONTHLY' } as const;
export const typeOf = ({ id }: { id: ScheduleId }) => TYPE_OF[id];

export const scheduleConfigOf = (row: ScheduleRow): z.input<typeof LeaderboardSchedule>['config'] =>
  configOf(row, typeOf(row));

export async function findRun(db: DbOrTx, id: number): Promise<RunRow | undefined> {
  const row = await db.selectFrom('leaderboards').selectAll().where('id', '=', id).executeTakeFirst();
  return row as RunRow | undefined;
}

export async function runsOf(db: DbOrTx, ids: readonly number[]): Promise<RunRow[]> {
  if (ids.length === 0) return [];
  const rows = (await db
    .selectFrom('leaderboards')
    .selectAll()
    .where('id', 'in', ids)
    .execute()) as unknown as RunRow[];
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)!);
}

/** After the players, before the scores. */
export async function lockRun(tx: Tx, id: number): Promise<RunRow | undefined> {
  const row = await tx
    .selectFrom('leaderboards')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row as RunRow | undefined;
}

export async function setStatus(tx: Tx, id: number, status: Status): Promise<void> {
  await tx
    .updateTable('leaderboards')
    .set({ status, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** The order of places: the highest score, of equal ones the one that was reached first, then the lower id. */
export const STANDING = sql`s.score desc, s.reached_place, s.user_id`;

/** How many stand before a row `s`, each count by the index alone. */
export const BETTER: RawBuilder<bigint> = sql`(
  (select count(*) from leaderboard_scores b where b.leaderboard_id = s.leaderboard_id and b.score > s.score)
  + (select count(*) from leaderboard_scores b where b.leaderboard_id = s.leaderboard_id and b.score = s.score
      and (b.reached_place, b.user_id) < (s.reached_place, s.user_id)))`;

/** How many stand after it, counted the same way. */
const WORSE: RawBuilder<bigint> = sql`(
  (select count(*) from leaderboard_scores b where b.leaderboard_id = s.leaderboard_id and b.score < s.score)
  + (select count(*) from leaderboard_scores b where b.leaderboard_id = s.leaderboard_id and b.score = s.score
      and (b.reached_place, b.user_id) > (s.reached_place, s.user_id)))`;

export type Top = { userId: number; score: string; prizeUsd: Units | null };

/** The first of a run, in order. */
export async function topOf(db: DbOrTx, runId: number, most: number, offset = 0): Promise<Top[]> {
  const { rows } = await sql<Top>`
    select s.user_id as "userId", s.score::text as score, s.prize_usd as "prizeUsd" from leaderboard_scores s
    where s.leaderboard_id = ${runId} order by ${STANDING} limit ${most} offset ${offset}`.execute(db);
  return rows;
}

/** The score in the middle of a run; null: nobody has one. */
export async function middleOf(db: DbOrTx, { id, participants }: RunRow): Promise<string | null> {
  const [middle] = await topOf(db, id, 1, Math.floor(participants / 2));
  return middle?.score ?? null;
}

export type OwnStanding = { score: Units; place: number; prizeUsd: Units | null };

/**
 * Where somebody stands; undefined: they have no score. `middle`: the score in the middle of the run a moment ago, which says from which
 * end there are fewer to count.
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

export const usd = (score: string): string => formatUnits(BigInt(score));
