import { sql } from 'kysely';
import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import { createCache } from '../../../platform/cache.ts';
import { iso } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { readTogether } from '../../../platform/limits/shared-read.ts';
import type { GameProviderPublic } from '../bets/schemas.ts';
import type { Game, Provider } from './queries.ts';
import { byText, dayOf, fold, pageIn, shuffled } from './rules.ts';
import {
  casinoErrors,
  type FavoritesQuery,
  type GamesQuery,
  MAIN_PAGE,
  type MainPage,
  NEWEST,
  type ProvidersQuery,
  SECTION_LENGTH,
  type Section,
} from './schemas.ts';
import type { PlayStats } from './state.ts';
import { infoOf, nameOf, type PublicGame, rtpOf, toPublicProvider } from './view.ts';
import { matchesFilter, type Visible, type Wanted } from './visible.ts';

/** A player who requests a list. `country`: see `Visible.different`. */
export type Viewer = { userId: number; country: string | undefined; favorites: Favorites };
type PublicProvider = z.input<typeof GameProviderPublic>;
type Query = z.output<typeof GamesQuery>;

type Deps = {
  visible: Visible;
  playedBy: PlayStats['playedBy'];
  /** Converts a game to the form in which lists return it. */
  show: (game: Game) => PublicGame;
  providers: () => Iterable<Provider>;
  mainPage: () => ReadonlyMap<string, readonly number[]>;
  find: (id: number) => Game | undefined;
  brand: string;
  clock: { now(): number };
};

/** Builds the lists of games and providers for players. */
export function createLists(deps: Deps) {
  const { visible } = deps;
  return {
    games: (viewer: Viewer, query: Query) => gamesOf(deps, viewer, query),

    favorites(viewer: Viewer, query: z.output<typeof FavoritesQuery>): Page<PublicGame> {
      const { sortBy, sortOrder, category } = query;
      const filter = { category, name: foldedOf(query.name) };
      const rows = [...viewer.favorites].flatMap(([id, at]) => {
        const game = deps.find(id);
        return game && visible.isSeen(game, viewer.country) && matchesFilter(game, filter)
          ? [{ game, at }]
          : [];
      });
      rows.sort((a, b) => {
        const order =
          sortBy === 'name' ? byText(a.game.folded, b.game.folded) : a.at.getTime() - b.at.getTime();
        return order || a.game.id - b.game.id;
      });
      const shown = pageIn(rows, query, sortOrder === 'desc').map(({ game }) => toListed(deps, game, true));
      return paginated(shown, query, rows.length);
    },

    /** Throws 404 GAME_NOT_FOUND if this player cannot see the game. */
    one(viewer: Viewer, game: Game | undefined): PublicGame {
      if (!game || !visible.isSeen(game, viewer.country)) throw casinoErrors.GAME_NOT_FOUND();
      const isFavorite = viewer.favorites.has(game.id);
      return visible.answer(JSON.stringify(['game', game.id, isFavorite]), () => ({
        ...toListed(deps, game, isFavorite),
        info: infoOf(game),
      }));
    },

    /** Returns the games of each section of the main page: those chosen by staff, otherwise the most popular or newest ones. */
    main({ country, favorites }: Viewer): z.input<typeof MainPage> {
      const shared = visible.answer(JSON.stringify(['main', country]), () =>
        Object.fromEntries(MAIN_PAGE.map((section) => [section, sectionOf(deps, section, country)])),
      );
      if (favorites.size === 0) return shared;
      const entries = Object.entries(shared) as [Section, PublicGame[]][];
      return Object.fromEntries(entries.map(([section, games]) => [section, markedRows(games, favorites)]));
    },

    /** Returns the providers with at least one game that this player can see. */
    providers(viewer: Viewer, query: z.output<typeof ProvidersQuery>): Page<PublicProvider> {
      return visible.answer(JSON.stringify(['providers', query, viewer.country]), () =>
        providersOf(deps, viewer.country, query),
      );
    },
  };
}

const ORDERS = { default: 'popular', popular: 'popular', addedAt: 'addedAt', name: 'name' } as const;

const foldedOf = (name: string | undefined) => (name === undefined ? undefined : fold(name));

const toListed = ({ show }: Deps, game: Game, isFavorite = false): PublicGame => ({
  ...show(game),
  info: { rtp: rtpOf(game) },
  isFavorite,
});

/** Marks favorites on a page. Returns the unchanged page if it contains none. */
function marked(page: Page<PublicGame>, favorites: Favorites): Page<PublicGame> {
  const data = markedRows(page.data, favorites);
  return data === page.data ? page : { ...page, data };
}

function markedRows(rows: PublicGame[], favorites: Favorites): PublicGame[] {
  if (favorites.size === 0 || !rows.some(({ id }) => favorites.has(id))) return rows;
  return rows.map((row) => (favorites.has(row.id) ? { ...row, isFavorite: true } : row));
}

async function gamesOf(deps: Deps, viewer: Viewer, query: Query): Promise<Page<PublicGame>> {
  const { visible } = deps;
  const { sortBy, sortOrder, page, take, ...filter } = query;
  const wanted: Wanted = { ...filter, country: viewer.country, name: foldedOf(filter.name) };
  const isOwn = sortBy === 'random' || sortBy === 'lastPlayed';
  const times = sortBy === 'lastPlayed' ? await deps.playedBy(viewer.userId) : undefined;
  const rows = isOwn
    ? ownOrder(deps, { viewer, wanted, query, times })
    : visible.list(ORDERS[sortBy], wanted);
  // The order by name is stored ascending, and all other orders descending.
  const isReversed = sortBy !== 'lastPlayed' && (sortOrder === 'asc') !== (sortBy === 'name');
  const make = () =>
    paginated(
      pageIn(rows, query, isReversed).map((game) => {
        const shown = toListed(deps, game);
        return times ? { ...shown, lastPlayedAt: isoOrNull(times.get(game.id)) } : shown;
      }),
      query,
      rows.length,
    );
  if (isOwn) return marked(make(), viewer.favorites);
  return marked(visible.answer(JSON.stringify(['games', query, wanted.country]), make), viewer.favorites);
}

const isoOrNull = (at: Date | undefined): string | null => (at ? iso(at) : null);

/** An order that differs by player: random, or by the time of the player's last bets. */
type Own = { viewer: Viewer; wanted: Wanted; query: Query; times: ReadonlyMap<number, Date> | undefined };

function ownOrder(
  { visible, clock }: Deps,
  { viewer: { userId }, wanted, query, times }: Own,
): readonly Game[] {
  if (!times) {
    const day = dayOf(clock.now());
    return visible.own(JSON.stringify([userId, day, wanted]), () =>
      shuffled(visible.list('id', wanted), { userId, day }),
    );
  }
  const all = visible.list('popular', wanted);
  const at = (game: Game) => times.get(game.id)!.getTime();
  const played = all.filter((game) => times.has(game.id)).sort((a, b) => at(b) - at(a) || a.id - b.id);
  if (query.sortOrder === 'asc') played.reverse();
  return [...played, ...all.filter((game) => !times.has(game.id))];
}

function sectionOf(deps: Deps, section: Section, country: string | undefined): PublicGame[] {
  const { visible, find, mainPage } = deps;
  const chosen = mainPage().get(section) ?? [];
  const first = () =>
    section === NEWEST
      ? visible.list('addedAt', { country })
      : visible.list('popular', { country, category: section });
  const games = chosen.length > 0 ? chosen.flatMap((id) => find(id) ?? []) : first().slice(0, SECTION_LENGTH);
  return games.filter((game) => visible.isSeen(game, country)).map((game) => toListed(deps, game));
}

function providersOf(
  { visible, providers, brand }: Deps,
  country: string | undefined,
  query: z.output<typeof ProvidersQuery>,
): Page<PublicProvider> {
  const { gameCategory, sortBy, sortOrder } = query;
  const games = Map.groupBy(visible.list('id', { country }), ({ providerId }) => providerId);
  const name = foldedOf(query.name);
  const rows = [...providers()].flatMap((provider) => {
    const own = games.get(provider.id) ?? [];
    const counts = own.some((game) => gameCategory === undefined || game.categories.includes(gameCategory));
    const folded = fold(nameOf(provider, brand));
    return counts && (name === undefined || folded.includes(name))
      ? [{ provider, folded, count: own.length }]
      : [];
  });
  rows.sort((a, b) => {
    const older = a.provider.createdAt.getTime() - b.provider.createdAt.getTime();
    return (sortBy === 'name' ? byText(a.folded, b.folded) : older) || a.provider.id - b.provider.id;
  });
  const shown = pageIn(rows, query, sortOrder === 'desc').map(({ provider, count }) => ({
    ...toPublicProvider(provider, brand),
    gamesCount: count,
  }));
  return paginated(shown, query, rows.length);
}

/** The times at which a player added favorite games, by game id. */
type Favorites = ReadonlyMap<number, Date>;

/** Maximum number of players whose favorites are cached. */
const MAX_PLAYERS = 10_000;
const NONE: Favorites = new Map();

/** Favorite games of players, cached until a notification reports a change. */
export function createFavorites({ db, databaseClock }: { db: Db; databaseClock: DatabaseClock }) {
  const kept = createCache<number, Favorites | Promise<Favorites>>(MAX_PLAYERS);
  const read = readTogether((ids: readonly number[]) => readFavorites(db, ids));

  const load = (userId: number): Promise<Favorites> => {
    const reading = read(userId).then((found) => found ?? NONE);
    const settle = (found: Favorites | undefined) => {
      // If a change has removed this cache entry in the meantime, the result may be outdated, so it is not cached.
      if (kept.get(userId) !== reading) return;
      if (found) kept.set(userId, found);
      else kept.delete(userId);
    };
    kept.set(userId, reading);
    reading.then(settle, () => settle(undefined));
    return reading;
  };
  return {
    async start(): Promise<void> {
      databaseClock.onGap(() => kept.clear());
      await databaseClock.onNotice('favorites_changed', (userId) => kept.delete(Number(userId)));
    },

    of: (userId: number): Favorites | Promise<Favorites> => kept.get(userId) ?? load(userId),

    async add(userId: number, gameId: number): Promise<void> {
      await db
        .insertInto('game_favorites')
        .values({ user_id: userId, game_id: gameId })
        .onConflict((oc) => oc.doNothing())
        .execute();
      kept.delete(userId);
    },

    async remove(userId: number, gameId: number): Promise<void> {
      await db
        .deleteFrom('game_favorites')
        .where('user_id', '=', userId)
        .where('game_id', '=', gameId)
        .execute();
      kept.delete(userId);
    },
  };
}

async function readFavorites(db: Db, userIds: readonly number[]): Promise<Map<number, Favorites>> {
  const rows = await db
    .selectFrom('game_favorites')
    .select(['user_id', 'game_id', 'created_at'])
    .where('user_id', '=', sql<number>`any(${userIds}::int4[])`)
    .execute();
  const byUser = Map.groupBy(rows, (row) => row.user_id);
  return new Map(
    [...byUser].map(([userId, own]) => [userId, new Map(own.map((row) => [row.game_id, row.created_at]))]),
  );
}
