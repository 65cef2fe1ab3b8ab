import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { estimated, estimatedPage, Id, PageNumber, page, pageOf, take, text } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { unlessWhole } from '../../../platform/database/snapshot.ts';
import { listErrors } from '../../../platform/errors.ts';
import { every } from '../../../platform/list/conditions.ts';
import { readList } from '../../../platform/list/list.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { searchFor } from '../../base/users/rules.ts';
import { UserId } from '../../base/users/schemas.ts';
import { type Sight, shortUsers, sightOf } from '../../base/users/service.ts';
import { BETTER, getRun, type RunRow, readSchedules, runList, runsOf, STANDING } from './queries.ts';
import {
  Leaderboard,
  LeaderboardPath,
  LeaderboardUser,
  leaderboardErrors,
  paging,
  SORTS,
  Status,
  Type,
} from './schemas.ts';
import type { LeaderboardDeps } from './service.ts';
import { formatScore, toRun, toScheduleConfig } from './view.ts';

type Row = z.input<typeof Leaderboard>;

/** The number of participants that a list returns with each leaderboard. */
const USERS = 50;

const reading = {
  method: 'GET',
  tag: 'Admin Leaderboard',
  access: { permission: 'leaderboard.read' },
} as const;

export const listLeaderboardsForStaff = operation({
  ...reading,
  path: '/admin/leaderboards',
  summary: 'List leaderboards with filters and sorting',
  description:
    '`withUsers` adds the first 50 participants of each leaderboard, and `withSchedule` adds its schedule.',
  query: z.strictObject({
    withUsers: z.boolean().default(false),
    withSchedule: z.boolean().default(false),
    type: Type.optional(),
    status: Status.optional(),
    sortBy: z.enum(SORTS).default('createdAt'),
    ...paging,
    take: take(100),
  }),
  response: estimatedPage(Leaderboard),
  errors: [listErrors.PAGE_TOO_DEEP],
  handler: async ({ reads }: LeaderboardDeps, { by, query }) => {
    const sight = sightOf(by.user);
    const { rows: ids, ...found } = await readList(reads, runList(query), query);
    const runs = await runsOf(reads, ids);
    const schedules = query.withSchedule ? await schedulesById(reads) : undefined;
    const rows: Row[] = [];
    for (const run of runs) {
      const users = query.withUsers
        ? await readUsers(reads, run, { filter: {}, sight, take: USERS, offset: 0 })
        : [];
      rows.push({
        ...toRun(run),
        ...(query.withUsers && { leaderboardUsers: users }),
        ...(schedules && { schedule: schedules.get(run.schedule_id ?? '') ?? null }),
      });
    }
    return estimated(rows, query, found);
  },
});

export const getLeaderboardForStaff = operation({
  ...reading,
  path: '/admin/leaderboards/{leaderboardId}',
  summary: 'Get a leaderboard',
  params: LeaderboardPath,
  response: Leaderboard,
  errors: [leaderboardErrors.LEADERBOARD_NOT_FOUND],
  handler: async ({ reads }: LeaderboardDeps, { params }) => toRun(await getRun(reads, params.leaderboardId)),
});

async function schedulesById(db: Db): Promise<Map<string, Row['schedule']>> {
  const rows = await readSchedules(db);
  return new Map(
    rows.map((row) => [row.id, { id: row.id, enabled: row.enabled, config: toScheduleConfig(row) }]),
  );
}

export const listUsers = operation({
  ...reading,
  path: '/admin/leaderboards/{leaderboardId}/users',
  summary: 'List participants by rank',
  params: LeaderboardPath,
  query: z.strictObject({
    search: text(64).meta({ description: 'The id, or part of the username or email address.' }).optional(),
    isWinner: z.boolean().optional(),
    isWaitingForPrice: z.boolean().optional(),
    page: PageNumber,
    take: take(100),
  }),
  response: page(LeaderboardUser),
  errors: [leaderboardErrors.LEADERBOARD_NOT_FOUND],
  handler: async ({ reads }: LeaderboardDeps, { by, params, query }) => {
    const { search, isWinner, isWaitingForPrice, ...request } = query;
    const sight = sightOf(by.user);
    const run = await getRun(reads, params.leaderboardId);
    const filter = { search, isWinner, isWaitingForPrice };
    const isUnfiltered = Object.values(filter).every((value) => value === undefined);
    const total = isUnfiltered ? run.participants : await countUsers(reads, run, { filter, sight });
    return pageOf(request, total, (offset) =>
      readUsers(reads, run, { filter, sight, take: request.take, offset }),
    );
  },
});

export const getLeaderboardUser = operation({
  ...reading,
  path: '/admin/leaderboards/{leaderboardId}/users/{userId}',
  summary: 'Get a participant',
  params: z.object({ leaderboardId: Id, userId: UserId }),
  response: LeaderboardUser,
  errors: [leaderboardErrors.LEADERBOARD_NOT_FOUND, leaderboardErrors.LEADERBOARD_USER_NOT_FOUND],
  handler: async ({ reads }: LeaderboardDeps, { by, params: { leaderboardId, userId } }) => {
    const run = await getRun(reads, leaderboardId);
    const one = { filter: {}, userId, sight: sightOf(by.user), take: 1, offset: 0 };
    const [user] = await readUsers(reads, run, one);
    if (!user) throw leaderboardErrors.LEADERBOARD_USER_NOT_FOUND();
    return user;
  },
});

type Sql = RawBuilder<unknown>;

type Filter = {
  search?: string | undefined;
  isWinner?: boolean | undefined;
  isWaitingForPrice?: boolean | undefined;
};

/** A short search string matches at most this many users, in the order of their usernames. */
const MAX_USERS = 1000;

type Request = { filter: Filter; sight: Sight; userId?: number; take: number; offset: number };
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

/** Returns participants, sorted by rank. */
async function readUsers(
  db: Db,
  run: RunRow,
  { filter, sight, userId, take, offset }: Request,
): Promise<z.input<typeof LeaderboardUser>[]> {
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
  const userIds = rows.map((row) => row.userId);
  const users = await shortUsers(db, userIds, sight);
  return rows.map((row) => ({
    leaderboardId: String(run.id),
    userId: row.userId,
    user: users.get(row.userId)!,
    place: run.status === 'CANCELLED' ? null : row.place,
    score: formatScore(row.score),
    isWinner: row.prizeUsd !== null,
    isWaitingForPrice: run.status === 'AWAITING_PAYOUT' && row.prizeUsd !== null && !row.isPaid,
    prizeUsdAmount: formatOptional(row.prizeUsd),
    fullUsdAmount: formatOptional(row.fullUsd),
    currencyId: row.currencyId,
    paidAmount: formatOptional(row.amount),
    paidAt: row.paidAt && iso(row.paidAt),
    updatedAt: iso(row.updatedAt),
  }));
}

const formatOptional = (amount: Units | null): string | null =>
  amount === null ? null : formatUnits(amount);

async function countUsers(
  db: Db,
  run: RunRow,
  { filter, sight }: Pick<Request, 'filter' | 'sight'>,
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
    ...matches(search ?? '', sight),
    ...(isWinner === undefined ? [] : [sql`(s.prize_usd is not null) = ${isWinner}`]),
    ...(isWaitingForPrice === undefined ? [] : [sql`${isWaiting} = ${isWaitingForPrice}`]),
  ];
}

/** Matches the id, usernames and email addresses. Staff who see only masked addresses must enter a complete address. */
function matches(text: string, { showsPii }: Sight): Sql[] {
  const search = searchFor(text);
  if (!search) return [];
  const { pattern, isPrefix, id } = search;
  const byId = sql`s.user_id = ${id ?? null}::int4`;
  const name = sql`coalesce(lower(username), '') collate "C"`;
  if (isPrefix)
    return [
      sql`(${byId} or s.user_id = any(array(select id from users where ${name} like lower(${pattern}) order by ${name} limit ${unlessWhole(MAX_USERS)})))`,
    ];
  const email = showsPii
    ? sql`lower(email) like lower(${pattern})`
    : sql`lower(email) = lower(${search.text})`;
  return [
    sql`(${byId} or s.user_id = any(array(
      select id from users where lower(username) like lower(${pattern}) union select id from users where ${email})))`,
  ];
}
