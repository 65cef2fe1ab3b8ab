import { randomInt } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Config } from '../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { MAX_UNITS, ONE, type Units } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import { type Beside, NO_SCENERY, type Scenery, type SceneryRow } from '../../games/bets/live.ts';
import { PUBLIC_USER_COLUMNS, toRow } from '../../games/bets/view.ts';
import { isInRange, type Next, type Return, stakeOf, type Terms } from '../../games/betting/rules.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import { draw, pick } from '../../games/fairness/rules.ts';
import type { GameSlug } from '../../games/house-games/schemas.ts';
import type { HouseGames } from '../../games/house-games/settings.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { type ActivityRow, CHANGED, insertRows, type NewRow, readActive } from './queries.ts';
import {
  amountsOf,
  GAME_TYPES,
  isPlaying,
  MANNERS,
  oneOf,
  playHouseGame,
  playSlot,
  type Thresholds,
} from './rules.ts';

type BotActivities = ReturnType<typeof createBotActivities>;

type Deps = Omit<MakeDeps, 'state' | 'thresholds'> & {
  databaseClock: DatabaseClock;
  log: Log;
  config: Pick<Config, 'BOT_ACTIVITY' | 'LIVE_BETS_HIGH_ROLLER_USD' | 'LIVE_BETS_LUCKY_MULTIPLIER'>;
  catalogue: Catalogue;
};

/**
 * Creates and reads simulated rows of the live feed, which marks them as simulated. They are not bets and do not affect money, statistics,
 * seeds or nonces. Caches the active activities. If BOT_ACTIVITY is off, no row is created, read or shown.
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
    /** Returns true if rows should be created now. Does not query the database. */
    isDue: () => isOn && state.isWatched() && state.playing().length > 0,
    make: () => makeRows({ ...deps, state, thresholds }),
  };
}

export type BotActivityDeps = {
  db: Db;
  /** Database for the list. It may be a replica that lags behind. */
  reads: Db;
  catalogue: Pick<Catalogue, 'state'>;
  botActivity: BotActivities;
};

type SceneryDeps = { db: Db; beside: Beside; state: ActivityState };

/** The feed selects from at most this many rows. It shows only a limited share of simulated rows, so it never needs more. */
const MAX_SCENERY_ROWS = 200;

/** The lifetime of rows. Older rows are never shown. */
export const ROWS_EXPIRY = { table: 'simulated_bets', after: 'created_at', keepSeconds: 3600, by: 'id' };

/**
 * Reads simulated rows of active activities for the live feed, excluding those of banned bots. Reads nothing while no activity is active.
 */
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
    .limit(MAX_SCENERY_ROWS)
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
  // Omits `lastPlayedAt`, which is set only by bets.
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

type MakeDeps = {
  db: Db;
  state: ActivityState;
  catalogue: Pick<Catalogue, 'state' | 'visible'>;
  games: Pick<HouseGames, 'get'>;
  currencies: Pick<Currencies, 'list' | 'rateOf'>;
  siteConfig: Pick<SiteConfig, 'minStakeOf'>;
  thresholds: Thresholds;
};

/** The maximum number of rows per turn for all bots together. The feed shows only a few of them. */
const MAX_NEW_ROWS = 20;

/** Returns independent random numbers. Player seeds are not used. */
const next: Next = () => randomInt(2 ** 32);

/** Runs one turn of all bots that play now. */
async function makeRows(deps: MakeDeps): Promise<void> {
  const acting = deps.state
    .playing()
    .filter(({ behavior }) => pick(next(), MANNERS[behavior].oneTurnIn) === 0);
  const rows = draw(acting, Math.min(MAX_NEW_ROWS, acting.length), next).flatMap(
    (activity) => rowOf(deps, activity) ?? [],
  );
  if (rows.length > 0) await insertRows(deps.db, rows);
}

/** Simulates a bet. Returns undefined if the bet cannot be played now or would be a high-roller bet or a lucky win. */
function rowOf(deps: MakeDeps, activity: ActivityRow): NewRow | undefined {
  const { catalogue, currencies, thresholds } = deps;
  const { user_id: userId, type, games, behavior } = activity;
  const game = catalogue.state.now().bySlug.get(oneOf(games, next));
  if (!game || !GAME_TYPES[type].includes(game.type) || !catalogue.visible.isSeen(game, undefined))
    return undefined;
  // Each bot always uses the same currency.
  const currency = currencies.list()[userId % currencies.list().length];
  const played = currency && playIn(deps, game);
  if (!played) return undefined;
  const { id: currencyId, decimals } = currency;
  const { rate, stale } = currencies.rateOf(currencyId);
  if (stale || game.currencies?.includes(currencyId) === false) return undefined;
  const betUsd = (BigInt(oneOf(MANNERS[behavior].stakesInCents, next)) * ONE) / 100n;
  const stake = stakeOf(betUsd, rate, decimals);
  const { minBet, maxBet, maxProfit: maxProfitUsd, outcome } = played;
  const terms: Terms = { betUsd, stake, rate, decimals, maxProfitUsd };
  const range = { ...terms, currencyId, minStake: deps.siteConfig.minStakeOf(currency), minBet, maxBet };
  const amounts = isInRange({ usd: betUsd, units: stake }, range) && amountsOf(terms, outcome, thresholds);
  return amounts ? { ...amounts, userId, gameId: game.id, currencyId } : undefined;
}

type Played = { minBet: Units; maxBet: Units; maxProfit: Units; outcome: Return };

/** Returns an outcome of a game, with the game's limits in US dollars. The limits of provider games are unknown. */
function playIn({ games }: MakeDeps, { slug, type }: { slug: string; type: string }): Played | undefined {
  if (type !== 'HOUSE_GAME')
    return { minBet: 0n, maxBet: MAX_UNITS, maxProfit: MAX_UNITS, outcome: playSlot(next) };
  // Undefined for a game that exists only in a newer version of the platform.
  const settings = games.get(slug as GameSlug)?.settings;
  const outcome = settings && playHouseGame(slug, settings, next);
  return outcome && { ...settings, outcome };
}

type ActivityState = ReturnType<typeof createActivityState>;

/** PostgreSQL channel for the notification that someone is watching the live feed while an activity is running. */
const WATCHED = 'live_bets_watched';
/** The minimum interval between two notifications, and the time for which a notification is valid. */
const NOTIFY_EVERY_MS = 10_000;
const WATCHED_FOR_MS = 25_000;

/** Caches the active activities and whether someone is watching the feed. Sends no notifications while no activity is active. */
function createActivityState({ db, databaseClock, log }: { db: Db; databaseClock: DatabaseClock; log: Log }) {
  let active: readonly ActivityRow[] = [];
  let [watchedAt, notifiedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const mirror = createMirror({
    what: 'activities of bots',
    channel: CHANGED,
    read: () => readActive(db),
    apply: (read) => {
      active = read;
    },
    databaseClock,
    log,
  });
  const playing = (): readonly ActivityRow[] => {
    if (active.length === 0) return active;
    const now = new Date(databaseClock.now());
    return active.filter(({ behavior, play_days: playDays, start_minute: startMinute }) =>
      isPlaying({ behavior, playDays, startMinute }, now),
    );
  };
  return {
    start: () =>
      Promise.all([
        mirror.start(),
        databaseClock.onNotice(WATCHED, () => {
          watchedAt = performance.now();
        }),
      ]),
    close: mirror.close,
    reload: mirror.reload,
    hasActive: () => active.length > 0,
    /** Returns the active activities that are running now. */
    playing,
    isWatched: () => performance.now() - watchedAt < WATCHED_FOR_MS,

    /** Notifies the worker that someone is watching the feed, if an activity is running. */
    async notifyWatched(): Promise<void> {
      const now = performance.now();
      if (now - notifiedAt < NOTIFY_EVERY_MS || playing().length === 0) return;
      notifiedAt = now;
      await sql`select pg_notify(${WATCHED}, '')`.execute(db);
    },
  };
}
