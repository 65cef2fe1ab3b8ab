import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { countryOfIp } from '../../../platform/countries/geo.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { derived } from '../../../platform/derived.ts';
import type { Files } from '../../../platform/files/files.ts';
import type { Log, Logs } from '../../../platform/observability/log.ts';
import type { StaffValueDeps } from '../../base/staff-value/service.ts';
import type { PlayerCountries } from '../../compliance/countries/service.ts';
import type { GameTerms } from '../../money/bonus/rules.ts';
import { acceptList, createHydration, type Supplier } from './import.ts';
import { createLabels } from './labels.ts';
import { createFavorites, createLists, type Viewer } from './lists.ts';
import type { Game } from './queries.ts';
import { edgePpmOf, type Priced, readPercent } from './rules.ts';
import { codeKey, createPlayed, createState, type Known, type PlayStats } from './state.ts';
import { coverOf, type PublicGame, rtpOf, toPublic } from './view.ts';
import { createVisible } from './visible.ts';

export type Catalogue = ReturnType<typeof createCatalogue>;

/** Returns the promotions that are limited to certain games, each with its games. */
export type PromosForSomeGames = () => Promise<readonly { id: bigint; games: GameTerms }[]>;

export type { Game };

export type CasinoDeps = StaffValueDeps & {
  db: Db;
  config: Pick<Config, 'BRAND_NAME' | 'UPLOAD_LIMIT_PIXELS'>;
  databaseClock: Clock;
  files: Files;
  catalogue: Catalogue;
  promosForSomeGames: PromosForSomeGames;
  /** Returns true if promotions can give free spins of the game. */
  givesFreeSpins: (game: Game) => boolean;
};

/** The connections to game providers. */
export type Suppliers = { all: readonly Supplier[]; sync: (db: Db) => Promise<void> };

/** Functions that areas loaded later provide: statistics of games, and promotions limited to games. */
export type ForCasino = PlayStats & Pick<CasinoDeps, 'promosForSomeGames' | 'givesFreeSpins'>;

type CasinoOptions = ForCasino & {
  db: Db;
  config: Config;
  log: Logs;
  databaseClock: DatabaseClock;
  playerCountries: PlayerCountries;
  gameProviders: Suppliers;
};

/** Creates the catalogue with its commission, labels and imports, and the functions that game statistics need. */
export function createCasino({
  promosForSomeGames,
  givesFreeSpins,
  popularity,
  lastPlayed,
  playedBy,
  ...before
}: CasinoOptions) {
  const { db, config, gameProviders } = before;
  const log = before.log.named('bets');
  const stats = { popularity, lastPlayed, playedBy };
  const catalogue = createCatalogue({ ...before, log, brand: config.BRAND_NAME, stats });
  const { now, reload } = catalogue.state;
  const commission = createCommission(now);
  return {
    catalogue,
    commission,
    promosForSomeGames,
    givesFreeSpins,
    acceptList,
    bettable: createBettable(now, commission.edgePpmOf),
    gameLabels: createLabels({ known: now, fees: feesIn(config) }),
    hydration: createHydration({ db, suppliers: () => gameProviders.all, reload, log }),
  };
}

/** Returns the revenue share of each game provider in millionths, by slug. */
const feesIn = (config: Config): ReadonlyMap<string, bigint> =>
  new Map(
    [
      ...config.GAME_PROVIDERS.map(({ slug, feePercent }) => [slug, feePercent] as const),
      [config.SPORTSBOOK_SEGMENT, config.SPORTSBOOK_FEE_PERCENT] as const,
    ].map(([slug, percent]) => [slug, BigInt(readPercent(percent)!)]),
  );

type Deps = {
  db: Db;
  databaseClock: DatabaseClock & Clock;
  log: Log;
  /** Name of the provider of the house games. */
  brand: string;
  stats: PlayStats;
  playerCountries: Pick<PlayerCountries, 'rememberedOf'>;
};
/** A player and the IP address of the request. */
type Player = { userId: number; ip: string };

/** The id in place of a user's, from which the random order of the day is derived. */
const VISITOR = 0;
const NO_FAVORITES: Viewer['favorites'] = new Map();

const UNKNOWN_GAME = { slug: '', providerId: -1, categories: [] };

/** The catalogue of games in memory, and the lists that players see. */
export function createCatalogue({ db, databaseClock, log, brand, stats, playerCountries }: Deps) {
  const state = createState({ db, databaseClock, log });
  const favorites = createFavorites({ db, databaseClock });
  const gameIds = () => state.now().games.map((game) => game.id);
  const played = createPlayed({ stats, gameIds, log });
  const visible = createVisible(state.now, played.latest);
  const show = (game: Game, lastPlayed = played.latest().lastPlayed.get(game.id)): PublicGame =>
    toPublic(game, { known: state.now(), brand, lastPlayed });
  const lists = createLists({
    visible,
    playedBy: stats.playedBy,
    show: (game) => show(game),
    providers: () => state.now().providers.values(),
    mainPage: () => state.now().mainPage,
    find: (id) => state.now().byId.get(id),
    brand,
    clock: databaseClock,
  });
  const viewerOf = async ({ userId, ip }: Player): Promise<Viewer> => {
    await played.now();
    const countries = visible.isRuled() ? await playerCountries.rememberedOf({ userId, ip }) : null;
    return { userId, country: visible.different(countries), favorites: await favorites.of(userId) };
  };
  return {
    state,
    played,
    visible,

    async start(): Promise<void> {
      await Promise.all([state.start(), favorites.start()]);
    },
    close: state.close,

    lists,
    favorites,
    viewerOf,

    /** Returns the data that a game's cover shows. */
    coverOf: (game: Game) => coverOf(game, state.now().providers.get(game.providerId)!),

    /** Returns the viewer for a visitor without a session: the same for all visitors from one country. */
    async visitorFrom(ip: string): Promise<Viewer> {
      await played.now();
      return { userId: VISITOR, country: visible.different(countryOfIp(ip)), favorites: NO_FAVORITES };
    },

    /** Returns the properties of a game that the terms of grants depend on. If the game is unknown, no grant covers it. */
    gameOf: (gameId: number) => state.now().byId.get(gameId) ?? UNKNOWN_GAME,

    /** Returns the public view of a bet's game, or undefined if this process has not loaded the game yet. */
    beside(gameId: number, lastPlayed: Date | undefined): PublicGame | undefined {
      const game = state.now().byId.get(gameId);
      return game && show(game, lastPlayed);
    },
  };
}

/** The properties of a game that the wallet for providers needs. */
export type Bettable = {
  id: number;
  /** True if the game accepts bets: the game is in the catalogue, and both the game and its provider are enabled. */
  isPlayable: boolean;
  /** House edge in millionths of a stake. */
  edgePpm: number;
};

/** Finds games in memory for the wallet that providers call. */
function createBettable(now: () => Known, edgePpmOf: (gameId: number) => number) {
  const toBettable = (game: Game | undefined): Bettable | undefined =>
    game && {
      id: game.id,
      isPlayable: game.enabled && game.removedAt === null && now().providers.get(game.providerId)!.enabled,
      edgePpm: edgePpmOf(game.id),
    };
  return {
    find: (providerId: number, code: string) => toBettable(now().byCode.get(codeKey(providerId, code))),
    get: (id: number) => toBettable(now().byId.get(id)),
  };
}

/** Returns the properties of a game that commission rules depend on. */
export const priced = (game: Game): Priced => ({ ...game, rtp: rtpOf(game) });

/** Computes and caches the house edge of games. */
function createCommission(now: () => Known) {
  const edges = derived(
    () => [now()],
    (_) => ({ ppm: new Map<number, number>() }),
  );
  return {
    /** Returns the house edge of a bet that is placed now, in millionths of its stake. Throws for unknown games. */
    edgePpmOf(gameId: number): number {
      const { ppm } = edges();
      const cached = ppm.get(gameId);
      if (cached !== undefined) return cached;
      const game = now().byId.get(gameId);
      if (!game) throw new Error(`game ${gameId} is not known`);
      const edge = edgePpmOf(priced(game), now().rules.get(game.providerId) ?? []);
      ppm.set(gameId, edge);
      return edge;
    },
  };
}
