import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { type Page, pageOf, paginated } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { type Ordered, pageOfIds } from '../../../platform/list/ordered.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { createRecent } from '../../../platform/recent.ts';
import { sharedByKey, sharedFor } from '../../../platform/shared-read.ts';
import { toShortPublicUser, type UserRow, usersById } from '../../base/users/service.ts';
import { leaderboardErrors } from './errors.ts';
import {
  BETTER,
  configOf,
  findRun,
  idOf,
  middleOf,
  type OwnStanding,
  prizesOf,
  type RunRow,
  runsOf,
  standingOf,
  type Top,
  topOf,
  usd,
} from './queries.ts';
import { nextPrizePlace } from './rules.ts';
import type {
  LeaderboardDetail,
  LeaderboardPage,
  LeaderboardQuery,
  MyPage,
  MyQuery,
  SortBy,
} from './schemas.ts';

type Query = z.output<typeof LeaderboardQuery>;
type Shown = z.input<typeof LeaderboardPage>['data'][number];
type Detail = z.input<typeof LeaderboardDetail>;
type MyRow = z.input<typeof MyPage>['data'][number];

/** Everybody who looks within this time sees the same standings. */
const SHARED_MS = 2000;
/** The middle of a run moves slowly, and to find it takes a walk through half of the index. */
const MIDDLE_MS = 60_000;
/** Leaderboards whose standings are kept at a time. */
const KEPT = 100;
const TOP = 50;

const KEYS = {
  startDate: 'start_date',
  endDate: 'end_date',
  createdAt: 'created_at',
} as const satisfies Record<SortBy, string>;

/** Runs that a filter names, in an order. */
export const runList = ({
  status,
  type,
  sortBy,
  sortOrder,
}: Pick<Query, 'status' | 'type' | 'sortBy' | 'sortOrder'>): Ordered => ({
  table: 'leaderboards',
  id: 'id',
  key: KEYS[sortBy],
  isDescending: sortOrder === 'desc',
  bounds: [],
  conditions: [
    ...(status === undefined ? [] : [sql`leaderboards.status = ${status}`]),
    ...(type === undefined ? [] : [sql`leaderboards.type = ${type}`]),
  ],
});

/** What players see of leaderboards. */
export function createLists(db: Db) {
  const boards = createRecent<() => Promise<Board | undefined>>(KEPT);
  const middles = sharedByKey(MIDDLE_MS, KEPT);
  const middle = (run: RunRow) => middles(String(run.id), () => middleOf(db, run));
  /** The standings of a run and who they are, read once for everybody. */
  const boardOf = (id: number): Promise<Board | undefined> => {
    const name = String(id);
    const known = boards.get(name) ?? sharedFor(SHARED_MS, () => readBoard(db, id));
    if (!boards.has(name)) boards.set(name, known);
    return known();
  };
  return {
    async list(query: Query): Promise<Page<Shown>> {
      const { ids, total } = await pageOfIds(db, runList(query), query);
      return paginated((await runsOf(db, ids)).map(toPublic), query, total);
    },

    /** Throws 404 LEADERBOARD_NOT_FOUND. */
    async detail(
      leaderboardId: string,
      { take, viewerId }: { take: number; viewerId: number | undefined },
    ): Promise<Detail> {
      const id = idOf(leaderboardId);
      const board = id === undefined ? undefined : await boardOf(id);
      if (!board) throw leaderboardErrors.LEADERBOARD_NOT_FOUND();
      const { run, top, users } = board;
      const prizes = new Map(prizesOf(run).map(({ place, usdAmount }) => [place, usdAmount]));
      const shown = top.slice(0, take).map(({ userId, score, prizeUsd }, i) => ({
        place: i + 1,
        user: toShortPublicUser(users.get(userId)!, viewerId),
        score: usd(score),
        prizeUsd: formatUnits((run.frozen_upto === null ? prizes.get(i + 1) : prizeUsd) ?? 0n),
      }));
      return {
        ...toPublic(run),
        users: shown,
        me:
          viewerId === undefined
            ? null
            : await standing(db, { ...board, middle: await middle(run) }, viewerId),
      };
    },

    /** The runs in which somebody has a score. */
    async my(userId: number, query: z.output<typeof MyQuery>): Promise<Page<MyRow>> {
      const { rows } = await sql<{ total: number }>`
        select count(*)::int as total from leaderboard_scores where user_id = ${userId}`.execute(db);
      return pageOf(query, rows[0]!.total, (offset) => readMine(db, userId, { ...query, offset }));
    },
  };
}

type Board = { run: RunRow; top: Top[]; users: Map<number, UserRow> };
/** `middle`: the score in the middle of a run, which may be older than the rest. */
type Halved = Board & { middle: string | null };

async function readBoard(db: Db, id: number): Promise<Board | undefined> {
  const run = await findRun(db, id);
  if (!run) return undefined;
  const top = await topOf(db, id, TOP);
  const users = await usersById(
    db,
    top.map(({ userId }) => userId),
  );
  return { run, top, users };
}

function toPublic(run: RunRow): Shown {
  const { name, description, type, currencyId, minBetUsd, prizes, eligible } = configOf(run, run.type);
  return {
    id: String(run.id),
    name,
    description,
    type,
    status: run.status,
    startDate: iso(run.start_date),
    endDate: iso(run.end_date),
    currency: currencyId,
    prizes,
    prizePoolUsd: formatUnits(prizesOf(run).reduce((sum, { usdAmount }) => sum + usdAmount, 0n)),
    minBetUsd,
    eligible,
    participants: run.participants,
  };
}

async function standing(db: Db, board: Halved, viewerId: number): Promise<Detail['me']> {
  const { run, middle } = board;
  const own = await standingOf(db, { runId: run.id, userId: viewerId, middle });
  return {
    place: own?.place ?? null,
    score: formatUnits(own?.score ?? 0n),
    usdToNextPrize: await toNextPrize(db, board, own),
  };
}

/** How far behind the holder of the next better prize; null: there is none, or it is over. */
async function toNextPrize(
  db: Db,
  { run, top }: Board,
  own: OwnStanding | undefined,
): Promise<string | null> {
  if (run.status !== 'SCHEDULED' && run.status !== 'ACTIVE') return null;
  const place = nextPrizePlace(prizesOf(run), own?.place ?? null);
  if (place === undefined) return null;
  const [holder] = place <= TOP ? top.slice(place - 1, place) : await topOf(db, run.id, 1, place - 1);
  const behind = holder ? BigInt(holder.score) - (own?.score ?? 0n) : 0n;
  // The standings may be older than the own score.
  return formatUnits(behind > 0n ? behind : 0n);
}

type MineRow = {
  leaderboardId: number;
  name: string;
  status: MyRow['status'];
  place: number | null;
  score: string;
  prizeUsd: Units | null;
  currencyId: string | null;
  paidAt: Date | null;
};
type Wanted = z.output<typeof MyQuery> & { offset: number };

async function readMine(
  db: Db,
  userId: number,
  { sortBy, sortOrder, take, offset }: Wanted,
): Promise<MyRow[]> {
  const keys: Record<typeof sortBy, RawBuilder<unknown>> = {
    endDate: sql`end_date`,
    prizeUsdAmount: sql`prize`,
    place: sql`s.place`,
  };
  const way = sortOrder === 'desc' ? sql`desc` : sql`asc`;
  // Where somebody stands in a run that goes on is counted for the rows of the page alone.
  const { rows } = await sql<MineRow>`
    select s.leaderboard_id as "leaderboardId", s.name, s.status, s.score::text as score, s.prize as "prizeUsd",
      s.currency_id as "currencyId", s.paid_at as "paidAt",
      case when s.status = 'CANCELLED' then null else coalesce(s.place, ${BETTER}::int4 + 1) end as place
    from (
      select s.leaderboard_id, s.user_id, s.score, s.reached_place, s.place, r.name, r.status, r.end_date,
        coalesce(p.usd_amount, s.prize_usd) as prize, p.currency_id, p.created_at as paid_at
      from leaderboard_scores s join leaderboards r on r.id = s.leaderboard_id
      left join leaderboard_prizes p on p.leaderboard_id = s.leaderboard_id and p.user_id = s.user_id
      where s.user_id = ${userId} order by ${keys[sortBy]} ${way} nulls last, s.leaderboard_id ${way} limit ${take} offset ${offset}) s
    order by ${sortBy === 'prizeUsdAmount' ? sql`s.prize` : keys[sortBy]} ${way} nulls last, s.leaderboard_id ${way}`.execute(
    db,
  );
  return rows.map(({ leaderboardId, prizeUsd, paidAt, score, ...row }) => ({
    ...row,
    leaderboardId: String(leaderboardId),
    score: usd(score),
    prizeUsdAmount: prizeUsd === null ? null : formatUnits(prizeUsd),
    paidAt: paidAt && iso(paidAt),
  }));
}
