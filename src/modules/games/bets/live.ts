import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { ONE } from '../../../platform/money.ts';
import { sharedFor } from '../../../platform/shared-read.ts';
import { isHidden, toShortPublicUser } from '../../base/users/service.ts';
import type { Range } from '../../money/ledger/touched.ts';
import { LIVE, OWN_RECENT, RECENT, withScenery } from './rules.ts';
import type { BetStatus, GamePublic, LiveBetRow, LiveBetType } from './schemas.ts';
import { PUBLIC_USER_COLUMNS, toRow, withGame } from './show.ts';
import { asTheyStand, lastCorrection } from './versions.ts';

export type Shown = z.input<typeof LiveBetRow>;
export type LiveRow = Awaited<ReturnType<typeof rowsOf>>[number];

/** What makes a bet one of high rollers (US dollars staked) and a lucky win (times the stake). */
export type Thresholds = { highRollerUsd: number; luckyMultiplier: number };
/** When games were last played, as far as it is known. */
export type LastPlayed = (gameIds: readonly number[]) => Promise<ReadonlyMap<number, Date>>;
/** A game as players see it, beside a bet on it; undefined where it is not known yet. */
export type Beside = (gameId: number, lastPlayed: Date | undefined) => z.input<typeof GamePublic> | undefined;

/** A row that nobody has played and that says so, at its sequence position. */
export type SceneryRow = { position: bigint; scenery: Shown };
/** Where scenery of the live feed comes from, the latest first. */
export type Scenery = {
  latest: () => Promise<readonly SceneryRow[]>;
  within: (range: Range) => Promise<readonly SceneryRow[]>;
};
export const NO_SCENERY: Scenery = { latest: async () => [], within: async () => [] };

type Deps = { db: Db; beside: Beside; lastPlayed: LastPlayed; scenery: Scenery } & Thresholds;

/** A read of the feed is shared by everybody who asks within this time. */
const FRESH_MS = 1000;

/**
 * What everybody has just been playing: settled bets, the latest settled first, among the newest RECENT. Test users and staff are
 * left out, as they are of every figure. Of all bets, not of high rollers and lucky wins, some rows are scenery. A process reads them once a
 * second at most, and only while somebody looks.
 */
export function createLiveBets(parts: Deps) {
  const feed = sharedFor(FRESH_MS, () => readFeed(parts));
  return {
    /** From memory, a second old at most. Who hides is masked, save for themselves. */
    async list(viewerId: number, type: LiveBetType, count: number): Promise<readonly Shown[]> {
      const { rows, lastPlayed, ofHidden, toStrangers } = await feed();
      const shown = (viewer: number | undefined) =>
        rows[type].slice(0, count).map(shownTo(viewer, { lastPlayed, beside: parts.beside }));
      if (ofHidden.has(viewerId)) return shown(viewerId);
      const name = `${type} ${count}`;
      const same = toStrangers.get(name) ?? Object.freeze(shown(undefined));
      toStrangers.set(name, same);
      return same;
    },

    /** Of the own bets those that were settled last, or made last where they are not; read now. */
    async own(userId: number, status: BetStatus, count: number): Promise<Shown[]> {
      const rows = await rowsOf(parts.db, await ownIds(parts.db, userId, { status, count }));
      return rows.map(shownTo(userId, { lastPlayed: await whenPlayed(rows, parts), beside: parts.beside }));
    },
  };
}

type Feed = {
  rows: Record<LiveBetType, (LiveRow | SceneryRow)[]>;
  lastPlayed: ReadonlyMap<number, Date>;
  /** Players of these bets who hide: what they see of themselves nobody else sees. */
  ofHidden: ReadonlySet<number>;
  /** What everybody else is shown, by type and count. */
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
  // Pairs: with `user_id =` the planner might pass over everybody's bets in the order of their ids.
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

/** The latest settled first; what is not settled stands where it was made. `ids`: a list, or a query in its place. */
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

/** When the games of these bets were last played: what the rows themselves show may be newer than what is known. */
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

/** Rows as somebody may see them. */
export function shownTo(
  viewerId: number | undefined,
  { lastPlayed, beside }: { lastPlayed: ReadonlyMap<number, Date>; beside: Beside },
) {
  return (row: LiveRow | SceneryRow): Shown => {
    if ('scenery' in row) return row.scenery;
    const { game: gameIdentity, settledAt: _, ...bet } = toRow(row);
    const user = toShortPublicUser({ ...row, id: row.user_id }, viewerId);
    const game = beside(row.game_id, lastPlayed.get(row.game_id));
    return { ...bet, user, gameIdentity, ...(game && { game }) };
  };
}
