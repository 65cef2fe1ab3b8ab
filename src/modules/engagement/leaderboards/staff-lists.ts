import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { type Page, pageOf, paginated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db, DbOrTx } from '../../../platform/db.ts';
import { every } from '../../../platform/list/conditions.ts';
import { pageOfIds } from '../../../platform/list/ordered.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { searchFor } from '../../base/users/rules.ts';
import { type Sight, shortUsers } from '../../base/users/service.ts';
import { leaderboardErrors } from './errors.ts';
import { runList } from './lists.ts';
import {
  BETTER,
  configOf,
  findRun,
  idOf,
  type RunRow,
  runsOf,
  type ScheduleRow,
  STANDING,
  scheduleConfigOf,
  usd,
} from './queries.ts';
import type { Leaderboard, LeaderboardSchedule, LeaderboardUser, StaffQuery, UserQuery } from './schemas.ts';

type Sql = RawBuilder<unknown>;
type Shown = z.input<typeof Leaderboard>;
type ShownSchedule = z.input<typeof LeaderboardSchedule>;
type ShownUser = z.input<typeof LeaderboardUser>;
type Filter = Pick<z.output<typeof UserQuery>, 'search' | 'isWinner' | 'isWaitingForPrice'>;

/** Participants of each leaderboard of a list. */
const USERS = 50;
/** Runs of each schedule. */
const RUNS = 20;
/** A short search looks at so many users: the first ones by name. */
const MOST_USERS = 1000;

export const toRun = (run: RunRow): Shown => ({
  type: run.type,
  status: run.status,
  id: String(run.id),
  name: run.name,
  createdAt: iso(run.created_at),
  updatedAt: iso(run.updated_at),
  description: run.description,
  config: configOf(run, run.type) as Shown['config'],
  startDate: iso(run.start_date),
  endDate: iso(run.end_date),
  scheduleId: run.schedule_id,
});

/** What staff sees of leaderboards. */
export const createStaffLists = (db: Db) => ({
  async list(query: z.output<typeof StaffQuery>, sight: Sight): Promise<Page<Shown>> {
    const { ids, total } = await pageOfIds(db, runList(query), query);
    const runs = await runsOf(db, ids);
    const schedules = query.withSchedule ? await schedulesById(db) : undefined;
    const rows: Shown[] = [];
    for (const run of runs) {
      const users = query.withUsers
        ? await readUsers(db, run, { filter: {}, sight, take: USERS, offset: 0 })
        : [];
      rows.push({
        ...toRun(run),
        ...(query.withUsers && { leaderboardUsers: users }),
        ...(schedules && { schedule: schedules.get(run.schedule_id ?? '') ?? null }),
      });
    }
    return paginated(rows, query, total);
  },

  /** Throws 404 LEADERBOARD_NOT_FOUND. */
  one: async (leaderboardId: string): Promise<Shown> => toRun(await getRun(db, leaderboardId)),

  schedules: async (): Promise<ShownSchedule[]> => toSchedules(db, await readSchedules(db)),

  /** Throws 404 LEADERBOARD_SCHEDULE_NOT_FOUND. */
  schedule: (id: string): Promise<ShownSchedule> => scheduleOf(db, id),

  /** Throws 404 LEADERBOARD_NOT_FOUND. */
  async users(
    leaderboardId: string,
    { search, isWinner, isWaitingForPrice, ...request }: z.output<typeof UserQuery>,
    sight: Sight,
  ): Promise<Page<ShownUser>> {
    const run = await getRun(db, leaderboardId);
    const filter = { search, isWinner, isWaitingForPrice };
    const isWhole = Object.values(filter).every((value) => value === undefined);
    const total = isWhole ? run.participants : await countUsers(db, run, { filter, sight });
    return pageOf(request, total, (offset) =>
      readUsers(db, run, { filter, sight, take: request.take, offset }),
    );
  },

  /** Throws 404 LEADERBOARD_NOT_FOUND, LEADERBOARD_USER_NOT_FOUND. */
  async user(
    { leaderboardId, userId }: { leaderboardId: string; userId: number },
    sight: Sight,
  ): Promise<ShownUser> {
    const run = await getRun(db, leaderboardId);
    const [user] = await readUsers(db, run, { filter: {}, userId, sight, take: 1, offset: 0 });
    if (!user) throw leaderboardErrors.LEADERBOARD_USER_NOT_FOUND();
    return user;
  },
});

async function getRun(db: DbOrTx, leaderboardId: string): Promise<RunRow> {
  const id = idOf(leaderboardId);
  const run = id === undefined ? undefined : await findRun(db, id);
  if (!run) throw leaderboardErrors.LEADERBOARD_NOT_FOUND();
  return run;
}

async function readSchedules(db: DbOrTx): Promise<ScheduleRow[]> {
  const rows = await db.selectFrom('leaderboard_schedules').selectAll().orderBy('id').execute();
  return rows as unknown as ScheduleRow[];
}

async function schedulesById(db: Db): Promise<Map<string, Shown['schedule']>> {
  const rows = await readSchedules(db);
  return new Map(
    rows.map((row) => [row.id, { id: row.id, enabled: row.enabled, config: scheduleConfigOf(row) }]),
  );
}

/** One schedule with its latest runs. Throws 404 LEADERBOARD_SCHEDULE_NOT_FOUND. */
export async function scheduleOf(db: DbOrTx, id: string): Promise<ShownSchedule> {
  const [found] = await toSchedules(
    db,
    (await readSchedules(db)).filter((row) => row.id === id),
  );
  if (!found) throw leaderboardErrors.LEADERBOARD_SCHEDULE_NOT_FOUND();
  return found;
}

const toSchedules = (db: DbOrTx, rows: readonly ScheduleRow[]): Promise<ShownSchedule[]> =>
  Promise.all(
    rows.map(async (row) => ({
      id: row.id,
      createdAt: iso(row.created_at),
      updatedAt: iso(row.updated_at),
      enabled: row.enabled,
      config: scheduleConfigOf(row),
      leaderboards: (await latestRuns(db, row.id)).map(toRun),
    })),
  );

const latestRuns = async (db: DbOrTx, scheduleId: string): Promise<RunRow[]> =>
  (await db
    .selectFrom('leaderboards')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .orderBy('end_date', 'desc')
    .limit(RUNS)
    .execute()) as unknown as RunRow[];

// ---------------------------------------------------------------- participants

type Wanted = { filter: Filter; sight: Sight; userId?: number; take: number; offset: number };
type UserScore = {
  userId: number;
  place: number;
  score: string;
  isPaid: boolean;
  prizeUsd: Units | null;
  fullUsd: Units | null;
  currencyId: string | null;
  amount: Units | null;
  paidAt: Date | null;
  updatedAt: Date;
};

const PRIZES = sql`
  left join leaderboard_prizes p on p.leaderboard_id = s.leaderboard_id and p.user_id = s.user_id`;

/** In the order of places. */
async function readUsers(
  db: Db,
  run: RunRow,
  { filter, sight, userId, take, offset }: Wanted,
): Promise<ShownUser[]> {
  const one = userId === undefined ? [] : [sql`s.user_id = ${userId}`];
  const { rows } = await sql<UserScore>`
    select s.user_id as "userId", coalesce(s.place, ${BETTER}::int4 + 1) as place, s.score::text as score,
      s.paid_usd is not null as "isPaid", coalesce(s.paid_usd, s.prize_usd) as "prizeUsd", s.full_usd_amount as "fullUsd",
      s.currency_id as "currencyId", s.amount, s.paid_at as "paidAt", s.updated_at as "updatedAt"
    from (
      select s.*, p.usd_amount as paid_usd, p.full_usd_amount, p.currency_id, p.amount, p.created_at as paid_at
      from leaderboard_scores s ${PRIZES}
      where ${every([...conditionsOf(run, filter, sight), ...one])} order by ${STANDING} limit ${take} offset ${offset}) s
    order by ${STANDING}`.execute(db);
  const people = await shortUsers(
    db,
    rows.map((row) => row.userId),
    sight,
  );
  return rows.map((row) => ({
    leaderboardId: String(run.id),
    userId: row.userId,
    user: people.get(row.userId)!,
    place: run.status === 'CANCELLED' ? null : row.place,
    score: usd(row.score),
    isWinner: row.prizeUsd !== null,
    isWaitingForPrice: run.status === 'AWAITING_PAYOUT' && row.prizeUsd !== null && !row.isPaid,
    prizeUsdAmount: shown(row.prizeUsd),
    fullUsdAmount: shown(row.fullUsd),
    currencyId: row.currencyId,
    paidAmount: shown(row.amount),
    paidAt: row.paidAt && iso(row.paidAt),
    updatedAt: iso(row.updatedAt),
  }));
}

const shown = (amount: Units | null): string | null => (amount === null ? null : formatUnits(amount));

async function countUsers(
  db: Db,
  run: RunRow,
  { filter, sight }: Pick<Wanted, 'filter' | 'sight'>,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from leaderboard_scores s ${PRIZES} where ${every(conditionsOf(run, filter, sight))}`.execute(
    db,
  );
  return rows[0]!.total;
}

function conditionsOf(run: RunRow, { search, isWinner, isWaitingForPrice }: Filter, sight: Sight): Sql[] {
  const isWaiting =
    run.status === 'AWAITING_PAYOUT' ? sql`(s.prize_usd is not null and p.user_id is null)` : sql`false`;
  return [
    sql`s.leaderboard_id = ${run.id}`,
    ...named(search ?? '', sight),
    ...(isWinner === undefined ? [] : [sql`(s.prize_usd is not null) = ${isWinner}`]),
    ...(isWaitingForPrice === undefined ? [] : [sql`${isWaiting} = ${isWaitingForPrice}`]),
  ];
}

/** Looked for as an id, in usernames, and in e-mail addresses; staff who see them masked have to know a whole one. */
function named(text: string, { showsPii }: Sight): Sql[] {
  const search = searchFor(text);
  if (!search) return [];
  const { pattern, isPrefix, id } = search;
  const ofId = sql`s.user_id = ${id ?? null}::int4`;
  const name = sql`coalesce(lower(username), '') collate "C"`;
  if (isPrefix)
    return [
      sql`(${ofId} or s.user_id = any(array(select id from users where ${name} like lower(${pattern}) order by ${name} limit ${MOST_USERS})))`,
    ];
  const email = showsPii
    ? sql`lower(email) like lower(${pattern})`
    : sql`lower(email) = lower(${search.text})`;
  return [
    sql`(${ofId} or s.user_id = any(array(
      select id from users where lower(username) like lower(${pattern}) union select id from users where ${email})))`,
  ];
}
