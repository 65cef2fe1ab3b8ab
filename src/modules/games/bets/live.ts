import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../../platform/database/db.ts';
import { sharedFor } from '../../../platform/limits/shared-read.ts';
import { ONE } from '../../../platform/money.ts';
import { isHidden, toShortPublicUser } from '../../base/users/service.ts';
import type { Range } from '../../money/ledger/balances.ts';
import { LIVE, OWN_RECENT, RECENT, withScenery } from './rules.ts';
import type { BetStatus, GamePublic, LiveBetRow, LiveBetType } from './schemas.ts';
import { asTheyStand, lastCorrection } from './versions.ts';
import { PUBLIC_USER_COLUMNS, toRow, withGame } from './view.ts';

export type Shown = z.input<typeof LiveBetRow>;
export type LiveRow = Awaited<ReturnType<typeof rowsOf>>[number];

/** Minimum stake of a high roller in US dollars, and minimum multiplier of a lucky win. */
export type Thresholds = { highRollerUsd: number; luckyMultiplier: number };
/** Returns the times at which games were last played, if known. */
export type LastPlayed = (gameIds: readonly number[]) => Promise<ReadonlyMap<number, Date>>;
/** Returns the public view of a bet's game, or undefined if the game is not loaded yet. */
export type Beside = (gameId: number, lastPlayed: Date | undefined) => z.input<typeof GamePublic> | undefined;

/** A simulated row, marked as simulated, with its sequence position. */
export type SceneryRow = { position: bigint; scenery: Shown };
/** The source of simulated rows in the live feed, latest first. */
export type Scenery = {
  latest: () => Promise<readonly SceneryRow[]>;
  within: (range: Range) => Promise<readonly SceneryRow[]>;
};
export const NO_SCENERY: Scenery = { latest: async () => [], within: async () => [] };

type Deps = { db: Db; beside: Beside; lastPlayed: LastPlayed; scenery: Scenery } & Thresholds;

/** All requests within this time share one query for the feed. */
const FRESH_MS = 1000;

/**
 * The live feed contains the latest settled bets among the newest RECENT bets, except those of test users and staff. Only the feed of all
 * bets contains simulated rows. Each process reads the feed on request, at most once a second.
 */
export function createLiveBets(parts: Deps) {
  const feed = sharedFor(FRESH_MS, () => readFeed(parts));
  return {
    /**
     * Returns rows that are at most a second old. Names of private players are masked, except in their own view. A visitor without a
     * session has no id.
     */
    async list(viewerId: number | undefined, type: LiveBetType, count: number): Promise<readonly Shown[]> {
      const { rows, lastPlayed, ofHidden, toStrangers } = await feed();
      const shown = (viewer: number | undefined) =>
        rows[type].slice(0, count).map(shownTo(viewer, { lastPlayed, beside: parts.beside }));
      if (viewerId !== undefined && ofHidden.has(viewerId)) return shown(viewerId);
      const name = `${type} ${count}`;
      const same = toStrangers.get(name) ?? Object.freeze(shown(undefined));
      toStrangers.set(name, same);
      return same;
    },

    /** Returns the player's latest settled bets, or the latest bets of another status. Not cached. */
    async own(userId: number, status: BetStatus, count: number): Promise<Shown[]> {
      const rows = await rowsOf(parts.db, await ownIds(parts.db, userId, { status, count }));
      return rows.map(shownTo(userId, { lastPlayed: await whenPlayed(rows, parts), beside: parts.beside }));
    },
  };
}

type Feed = {
  rows: Record<LiveBetType, (LiveRow | SceneryRow)[]>;
  lastPlayed: ReadonlyMap<number, Date>;
  /** Private players with bets in the feed. Their names are masked for everyone except themselves. */
  ofHidden: ReadonlySet<number>;
  /** The rows as shown to all players who are not in `ofHidden`, by feed type and number of rows. */
  toStrangers: Map<string, readonly Shown[]>;
};

async function readFeed(parts: Deps): Promise<Feed> {
  const { db, highRollerUsd, luckyMultiplier } = parts;
  const { rows: found } = await sql<{ type: LiveBetType; id: bigint }>`
    with newest as materialized (
      select id, id as position, status, settlement_id, user_id, amount, payout, usd_amount, is_corrected from bets order by id desc limit ${RECENT}
    ),
    late as materialized (
      select id, settlement_id as position, status, user_id, amount, payout, usd_amount, is_corrected from bets
      where settlement_id >= (select min(id) from newest) order by settlement_id desc limit ${RECENT}
    ),
    settled as (
      select id, position, user_id, amount, payout, usd_amount, is_corrected from newest where status = 'SETTLED' and settlement_id is null
      union all
      select id, position, user_id, amount, payout, usd_amount, is_corrected from late where status = 'SETTLED'
    ),
    shown as materialized (
      select s.id, s.position, coalesce(c.amount_after, s.amount) as amount, coalesce(c.payout_after, s.payout) as payout,
        coalesce(c.usd_amount_after, s.usd_amount) as usd_amount
      from settled s join users u on u.id = s.user_id left join lateral ${sql.raw(lastCorrection('s'))} c on true
      where not u.is_test and not u.is_staff
    )
    (select 'ALL' as type, id from shown order by position desc limit ${LIVE})
    union all
    (select 'HIGH_ROLLERS', id from shown where usd_amount >= ${BigInt(highRollerUsd) * ONE}::int8
      order by position desc limit ${LIVE})
    union all
    (select 'LUCKY_WINS', id from shown where amount > 0 and payout::numeric >= amount::numeric * ${luckyMultiplier}::int
      order by position desc limit ${LIVE})`.execute(db);
  const [rows, scenery] = await Promise.all([
    rowsOf(db, [...new Set(found.map((bet) => bet.id))]),
    parts.scenery.latest(),
  ]);
  const of = (type: LiveBetType) => {
    const ids = new Set(found.flatMap((bet) => (bet.type === type ? [bet.id] : [])));
    return rows.filter((row) => ids.has(row.id));
  };
  return {
    rows: {
      ALL: withScenery(of('ALL'), scenery),
      HIGH_ROLLERS: of('HIGH_ROLLERS'),
      LUCKY_WINS: of('LUCKY_WINS'),
    },
    lastPlayed: await whenPlayed(rows, parts),
    ofHidden: new Set(rows.flatMap((row) => (isHidden(row) ? [row.user_id] : []))),
    toStrangers: new Map(),
  };
}

async function ownIds(
  db: Db,
  userId: number,
  { status, count }: { status: BetStatus; count: number },
): Promise<bigint[]> {
  // Compares row values, because with `user_id =` the planner might scan the bets of all players in id order.
  const found =
    status === 'SETTLED'
      ? sql<{ id: bigint }>`
          select id from (
            select id, settlement_id, status from bets where (user_id, id) >= (${userId}, 0) and (user_id, id) < (${userId + 1}, 0)
            order by user_id desc, id desc limit ${OWN_RECENT}
          ) own where status = 'SETTLED' order by coalesce(settlement_id, id) desc limit ${count}`
      : sql<{ id: bigint }>`
          select id from bets where user_id = ${userId} and status = ${sql.lit(status)} order by id desc limit ${count}`;
  return (await found.execute(db)).rows.map((row) => row.id);
}

const POSITION = sql<bigint>`coalesce(settlement_id, bets.id)`;

/** Returns rows ordered by settlement, latest first, or by id if the bets are unsettled. `ids` is a list or a query. */
export async function rowsOf(
  db: Db,
  ids: readonly bigint[] | RawBuilder<unknown>,
  position: RawBuilder<bigint> = POSITION,
) {
  const rows = await withGame(db.selectFrom('bets'))
    .innerJoin('users', 'users.id', 'bets.user_id')
    .select([...PUBLIC_USER_COLUMNS, 'bets.user_id'])
    .select(position.as('position'))
    .where('bets.id', '=', sql<bigint>`any(${Array.isArray(ids) ? sql`${ids}::int8[]` : sql`array(${ids})`})`)
    .orderBy('position', 'desc')
    .execute();
  return asTheyStand(db, rows);
}

/** Returns the time at which each game was last played: the later of its time in `known` and its latest time in these bets. */
export function playedIn(
  rows: readonly LiveRow[],
  known: ReadonlyMap<number, Date> = new Map(),
): ReadonlyMap<number, Date> {
  const times = new Map(known);
  for (const { game_id, settled_at, created_at } of rows) {
    const [at, before] = [settled_at ?? created_at, times.get(game_id)];
    if (!before || before < at) times.set(game_id, at);
  }
  return times;
}

const whenPlayed = async (rows: readonly LiveRow[], { lastPlayed }: Deps) =>
  playedIn(rows, await lastPlayed([...new Set(rows.map((row) => row.game_id))]));

/** Returns the function that converts a row to what the viewer may see. */
export function shownTo(
  viewerId: number | undefined,
  { lastPlayed, beside }: { lastPlayed: ReadonlyMap<number, Date>; beside: Beside },
) {
  return (row: LiveRow | SceneryRow): Shown => {
    if ('scenery' in row) return row.scenery;
    const { game: gameIdentity, settledAt: _, ...bet } = toRow(row);
    const user = toShortPublicUser({ ...row, id: row.user_id }, viewerId);
    const game = beside(row.game_id, lastPlayed.get(row.game_id));
    const own = row.user_id === viewerId ? { windowId: row.window_id } : {};
    return { ...bet, ...own, user, gameIdentity, ...(game && { game }) };
  };
}
