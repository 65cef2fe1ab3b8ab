import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { casinoErrors } from './errors.ts';
import { createFavorites } from './favorites.ts';
import { createLists, type Viewer } from './lists.ts';
import { createPlayed, type PlayStats } from './played.ts';
import type { Game } from './queries.ts';
import type { FavoritesQuery, GamesQuery, ProvidersQuery } from './schemas.ts';
import { type Shown, toPublic } from './show.ts';
import { createState } from './state.ts';
import { createVisible } from './visible.ts';

export type Catalogue = ReturnType<typeof createCatalogue>;

type Deps = {
  db: Db;
  databaseClock: DatabaseClock & Clock;
  log: Log;
  /** Whose house games are. */
  brand: string;
  stats: PlayStats;
  countryOf: (ip: string) => string | null;
};
/** Who asks, and the address that they ask from. */
type Asking = { userId: number; ip: string };

/** All games as players see them, from memory. */
export function createCatalogue({ db, databaseClock, log, brand, stats, countryOf }: Deps) {
  const state = createState({ db, databaseClock, log });
  const favorites = createFavorites({ db, databaseClock });
  const gameIds = () => state.now().games.map((game) => game.id);
  const played = createPlayed({ stats, gameIds, log });
  const visible = createVisible(state.now, played.latest);
  const show = (game: Game, lastPlayed = played.latest().lastPlayed.get(game.id)): Shown =>
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
  const viewerOf = async ({ userId, ip }: Asking): Promise<Viewer> => {
    await played.now();
    return { userId, country: visible.different(countryOf(ip)), favorites: await favorites.of(userId) };
  };
  return {
    state,
    played,
    visible,

    async start(): Promise<void> {
      await Promise.all([state.start(), favorites.start()]);
    },
    close: state.close,

    ...createAnswers(viewerOf, { lists, favorites, find: (slug) => state.now().bySlug.get(slug) }),

    /** A game as it is shown beside a bet on it; undefined while this process does not know of it. */
    beside(gameId: number, lastPlayed: Date | undefined): Shown | undefined {
      const game = state.now().byId.get(gameId);
      return game && show(game, lastPlayed);
    },
  };
}

type Parts = {
  lists: ReturnType<typeof createLists>;
  favorites: ReturnType<typeof createFavorites>;
  find: (slug: string) => Game | undefined;
};

/** What the routes answer. */
function createAnswers(viewerOf: (by: Asking) => Promise<Viewer>, { lists, favorites, find }: Parts) {
  return {
    list: async (by: Asking, query: z.output<typeof GamesQuery>) => lists.games(await viewerOf(by), query),
    favorites: async (by: Asking, query: z.output<typeof FavoritesQuery>) =>
      lists.favorites(await viewerOf(by), query),
    providers: async (by: Asking, query: z.output<typeof ProvidersQuery>) =>
      lists.providers(await viewerOf(by), query),
    main: async (by: Asking) => lists.main(await viewerOf(by)),

    /** Throws 404 GAME_NOT_FOUND for a game that this player does not see. */
    get: async (by: Asking, slug: string) => lists.one(await viewerOf(by), find(slug)),

    /** Throws 404 GAME_NOT_FOUND for a game that this player does not see. */
    async addFavorite(by: Asking, slug: string): Promise<{ success: boolean }> {
      const { id } = lists.one(await viewerOf(by), find(slug));
      await favorites.add(by.userId, id);
      return { success: true };
    },

    /** Also of a game that is hidden by now. Throws 404 GAME_NOT_FOUND for one that never was. */
    async removeFavorite({ userId }: Asking, slug: string): Promise<{ success: boolean }> {
      const game = find(slug);
      if (!game) throw casinoErrors.GAME_NOT_FOUND();
      await favorites.remove(userId, game.id);
      return { success: true };
    },
  };
}
