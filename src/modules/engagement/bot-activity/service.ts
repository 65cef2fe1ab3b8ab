import { type RawBuilder, sql } from 'kysely';
import type { Config } from '../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import { type Beside, NO_SCENERY, type Scenery, type SceneryRow } from '../../games/bets/live.ts';
import { PUBLIC_USER_COLUMNS, toRow } from '../../games/bets/view.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import { type ActivityState, createActivityState, type MakeDeps, makeRows } from './make.ts';

type BotActivities = ReturnType<typeof createBotActivities>;

type Deps = Omit<MakeDeps, 'state' | 'thresholds'> & {
  databaseClock: DatabaseClock;
  log: Log;
  config: Pick<Config, 'BOT_ACTIVITY' | 'LIVE_BETS_HIGH_ROLLER_USD' | 'LIVE_BETS_LUCKY_MULTIPLIER'>;
  catalogue: Catalogue;
};

/**
 * Simulated rows of the live feed, marked as simulated. They are not bets and affect no money, statistic, seed or nonce. Caches the active
 * activities. If BOT_ACTIVITY is off, no row is created, read or shown.
 */
export function createBotActivities(deps: Deps) {
  const { db, config, catalogue } = deps;
  const isOn = config.BOT_ACTIVITY === 'disclosed';
  const state = createActivityState(deps);
  const thresholds = {
    highRollerUsd: config.LIVE_BETS_HIGH_ROLLER_USD,
    luckyMultiplier: config.LIVE_BETS_LUCKY_MULTIPLIER,
  };
  return {
    start: async () => void (isOn && (await state.start())),
    close: state.close,
    reload: state.reload,
    scenery: isOn ? createScenery({ db, beside: catalogue.beside, state }) : NO_SCENERY,
    isOn,
    /** Returns true if rows should be created now. Reads no database. */
    isDue: () => isOn && state.isWatched() && state.playing().length > 0,
    make: () => makeRows({ ...deps, state, thresholds }),
  };
}

export type BotActivityDeps = {
  db: Db;
  /** May lag behind; the list reads it. */
  reads: Db;
  catalogue: Pick<Catalogue, 'state'>;
  botActivity: BotActivities;
};

type SceneryDeps = { db: Db; beside: Beside; state: ActivityState };

/** The feed selects from these; its limited share of simulated rows never needs more. */
const MAX_ROWS = 200;

/** Older rows are never shown. */
export const ROWS_EXPIRY = { table: 'simulated_bets', after: 'created_at', keepSeconds: 3600, by: 'id' };

/** Reads simulated rows of active activities for the live feed, without banned bots. Reads nothing while no activity is active. */
function createScenery({ db, beside, state }: SceneryDeps): Scenery {
  const read = async (condition: RawBuilder<boolean>): Promise<SceneryRow[]> => {
    if (!state.hasActive()) return [];
    const [rows] = await Promise.all([readRows(db, condition), state.notifyWatched()]);
    return rows.map((row) => toScenery(row, beside));
  };
  return {
    latest: () => read(sql<boolean>`true`),
    within: ({ after, below }) => read(sql<boolean>`s.id > ${after} and s.id < ${below}`),
  };
}

const readRows = (db: Db, condition: RawBuilder<boolean>) =>
  db
    .selectFrom('simulated_bets as s')
    .innerJoin('bot_activities as a', 'a.user_id', 's.user_id')
    .innerJoin('users', 'users.id', 's.user_id')
    .innerJoin('games', 'games.id', 's.game_id')
    .select(['s.id', 's.currency_id', 's.amount', 's.payout', 's.usd_amount', 's.usd_payout', 's.created_at'])
    .select(['s.user_id', 's.game_id', ...PUBLIC_USER_COLUMNS])
    .select(['games.slug', 'games.name', 'games.type', 'games.images', 'games.custom_images'])
    .select('games.provider_name')
    .where(condition)
    .where('a.is_active', '=', true)
    .where('users.is_bot', '=', true)
    .where('users.banned_at', 'is', null)
    .orderBy('s.id', 'desc')
    .limit(MAX_ROWS)
    .execute();

type Row = Awaited<ReturnType<typeof readRows>>[number];

function toScenery(row: Row, beside: Beside): SceneryRow {
  const at = row.created_at;
  const bet = {
    ...row,
    status: 'SETTLED',
    updated_at: at,
    settled_at: at,
    is_corrected: false,
    window_id: null,
  };
  const { game: gameIdentity, settledAt: _, ...fields } = toRow(bet);
  // Without `lastPlayedAt`, which only bets set.
  const game = beside(row.game_id, undefined);
  return {
    position: row.id,
    scenery: {
      ...fields,
      id: `sim-${row.id}`,
      user: toShortPublicUser({ ...row, id: row.user_id }, undefined),
      gameIdentity,
      ...(game && { game }),
      isSimulated: true,
    },
  };
}
