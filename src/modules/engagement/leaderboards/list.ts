import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import {
  CurrencyId,
  Decimal,
  estimated,
  estimatedPage,
  object,
  page,
  pageOf,
  Timestamp,
  take,
} from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { listErrors } from '../../../platform/errors.ts';
import { readList } from '../../../platform/list/list.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { ShortPublicUser } from '../../base/users/schemas.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import { BETTER, idOf, type OwnStanding, prizesOf, runList, runsOf, standingOf, topOf } from './queries.ts';
import { nextPrizePlace } from './rules.ts';
import {
  LeaderboardPath,
  LeaderboardPublic,
  leaderboardErrors,
  paging,
  SORTS,
  Status,
  Type,
} from './schemas.ts';
import { type Board, type LeaderboardDeps, TOP } from './service.ts';
import { formatScore, toPublic } from './view.ts';

export const listLeaderboards = operation({
  method: 'GET',
  path: '/leaderboards',
  tag: 'Leaderboard',
  access: 'anonymous',
  summary: 'List leaderboards with filters and sorting',
  query: z.strictObject({
    status: Status.optional(),
    type: Type.optional(),
    sortBy: z.enum(SORTS).default('startDate'),
    ...paging,
    take: take(20),
  }),
  response: estimatedPage(LeaderboardPublic),
  errors: [listErrors.PAGE_TOO_DEEP],
  handler: async ({ db }: LeaderboardDeps, { query }) => {
    const { rows: ids, ...found } = await readList(db, runList(query), query);
    return estimated((await runsOf(db, ids)).map(toPublic), query, found);
  },
});

const LeaderboardStanding = object('LeaderboardStanding', {
  place: z.number().int(),
  user: ShortPublicUser,
  score: Decimal.meta({ description: 'US dollars wagered, without bonus money.' }),
  prizeUsd: Decimal,
});

const LeaderboardMyStanding = object('LeaderboardMyStanding', {
  place: z.number().int().nullable(),
  score: Decimal,
  usdToNextPrize: Decimal.nullable().meta({
    description:
      'The score that the player still needs to reach the next better prize. It is 0 if no player has the rank of that prize, and ' +
      'null if there is no better prize or the leaderboard has ended.',
  }),
});

export const getLeaderboard = operation({
  method: 'GET',
  path: '/leaderboards/{leaderboardId}',
  tag: 'Leaderboard',
  access: 'anonymous',
  readsSession: true,
  summary: 'Get a leaderboard with its top ranks',
  description:
    "If the caller is signed in, `me` contains the caller's standing, and the caller's row is not masked. Standings are updated " +
    'at most every two seconds.',
  params: LeaderboardPath,
  query: z.strictObject({ take: z.number().int().min(1).max(TOP).default(TOP) }),
  response: object('LeaderboardDetail', {
    ...LeaderboardPublic.shape,
    users: z.array(LeaderboardStanding),
    me: LeaderboardMyStanding.nullable(),
  }),
  errors: [leaderboardErrors.LEADERBOARD_NOT_FOUND],
  handler: async ({ db, leaderboards }: LeaderboardDeps, { params, query, user }) => {
    const { boards } = leaderboards;
    const id = idOf(params.leaderboardId);
    const board = id === undefined ? undefined : await boards.find(id);
    if (!board) throw leaderboardErrors.LEADERBOARD_NOT_FOUND();
    const { run, top, users } = board;
    const prizes = new Map(prizesOf(run).map(({ place, usdAmount }) => [place, usdAmount]));
    return {
      ...toPublic(run),
      users: top.slice(0, query.take).map(({ userId, score, prizeUsd }, i) => ({
        place: i + 1,
        user: toShortPublicUser(users.get(userId)!, user?.id),
        score: formatScore(score),
        prizeUsd: formatUnits((run.frozen_upto === null ? prizes.get(i + 1) : prizeUsd) ?? 0n),
      })),
      me: user ? await ownStanding(db, { ...board, middle: await boards.middle(run) }, user.id) : null,
    };
  },
});

async function ownStanding(
  db: Db,
  board: Board & { middle: string | null },
  userId: number,
): Promise<z.input<typeof LeaderboardMyStanding>> {
  const own = await standingOf(db, { runId: board.run.id, userId, middle: board.middle });
  return {
    place: own?.place ?? null,
    score: formatUnits(own?.score ?? 0n),
    usdToNextPrize: await usdToNextPrize(db, board, own),
  };
}

async function usdToNextPrize(
  db: Db,
  { run, top }: Board,
  own: OwnStanding | undefined,
): Promise<string | null> {
  if (run.status !== 'SCHEDULED' && run.status !== 'ACTIVE') return null;
  const place = nextPrizePlace(prizesOf(run), own?.place ?? null);
  if (place === undefined) return null;
  const [holder] = place <= TOP ? top.slice(place - 1, place) : await topOf(db, run.id, 1, place - 1);
  const behind = holder ? BigInt(holder.score) - (own?.score ?? 0n) : 0n;
  // The cached standings may be older than the player's score.
  return formatUnits(behind > 0n ? behind : 0n);
}

const Query = z.strictObject({
  sortBy: z.enum(['endDate', 'prizeUsdAmount', 'place']).default('endDate'),
  ...paging,
  take: take(20),
});

const LeaderboardMyRow = object('LeaderboardMyRow', {
  leaderboardId: z.string(),
  name: z.string(),
  place: z.number().int().nullable(),
  score: Decimal,
  prizeUsdAmount: Decimal.nullable().meta({ description: 'Null until the ranking is final.' }),
  currencyId: CurrencyId.nullable().meta({ description: 'The currency in which the prize was paid.' }),
  status: Status,
  paidAt: Timestamp.nullable(),
});
type OwnRow = z.input<typeof LeaderboardMyRow>;

export const listOwnLeaderboards = operation({
  method: 'GET',
  path: '/leaderboards/my',
  tag: 'Leaderboard',
  access: 'auth',
  isHistory: true,
  summary: 'List your leaderboard ranks and prizes',
  query: Query,
  response: page(LeaderboardMyRow),
  handler: async ({ db }: LeaderboardDeps, { user: { id: userId }, query }) => {
    const { rows } = await sql<{ total: number }>`
      select count(*)::int as total from leaderboard_scores where user_id = ${userId}`.execute(db);
    return pageOf(query, rows[0]!.total, (offset) => readOwn(db, userId, { ...query, offset }));
  },
});

type Row = {
  leaderboardId: number;
  name: string;
  status: OwnRow['status'];
  place: number | null;
  score: string;
  prizeUsd: Units | null;
  currencyId: string | null;
  paidAt: Date | null;
};

async function readOwn(
  db: Db,
  userId: number,
  { sortBy, sortOrder, take, offset }: z.output<typeof Query> & { offset: number },
): Promise<OwnRow[]> {
  const keys: Record<typeof sortBy, RawBuilder<unknown>> = {
    endDate: sql`end_date`,
    prizeUsdAmount: sql`prize`,
    place: sql`s.place`,
  };
  const direction = sortOrder === 'desc' ? sql`desc` : sql`asc`;
  // Ranks in unfinished runs are computed only for the rows on this page.
  const { rows } = await sql<Row>`
    select s.leaderboard_id as "leaderboardId", s.name, s.status, s.score::text as score, s.prize as "prizeUsd",
      s.currency_id as "currencyId", s.paid_at as "paidAt",
      case when s.status = 'CANCELLED' then null else coalesce(s.place, ${BETTER}::int4 + 1) end as place
    from (
      select s.leaderboard_id, s.user_id, s.score, s.reached_place, s.place, r.name, r.status, r.end_date,
        coalesce(p.usd_amount, s.prize_usd) as prize, p.currency_id, p.created_at as paid_at
      from leaderboard_scores s join leaderboards r on r.id = s.leaderboard_id
      left join leaderboard_prizes p on p.leaderboard_id = s.leaderboard_id and p.user_id = s.user_id
      where s.user_id = ${userId} order by ${keys[sortBy]} ${direction} nulls last, s.leaderboard_id ${direction} limit ${take} offset ${offset}) s
    order by ${sortBy === 'prizeUsdAmount' ? sql`s.prize` : keys[sortBy]} ${direction} nulls last, s.leaderboard_id ${direction}`.execute(
    db,
  );
  return rows.map(({ leaderboardId, prizeUsd, paidAt, score, ...row }) => ({
    ...row,
    leaderboardId: String(leaderboardId),
    score: formatScore(score),
    prizeUsdAmount: prizeUsd === null ? null : formatUnits(prizeUsd),
    paidAt: paidAt && iso(paidAt),
  }));
}
