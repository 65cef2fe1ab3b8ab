import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import type { GameProviderPublic } from '../bets/schemas.ts';
import { casinoErrors } from './errors.ts';
import type { Favorites } from './favorites.ts';
import type { PlayStats } from './played.ts';
import type { Game, Provider } from './queries.ts';
import { byText, dayOf, fold, pageIn, shuffled } from './rules.ts';
import {
  type FavoritesQuery,
  type GamesQuery,
  MAIN_PAGE,
  type MainPage,
  NEWEST,
  type ProvidersQuery,
  SECTION_LENGTH,
  type Section,
} from './schemas.ts';
import { infoOf, nameOf, type Shown, toPublicProvider } from './show.ts';
import { isMeant, type Visible, type Wanted } from './visible.ts';

/** Who looks, and the country that they look from, where it makes a difference. */
export type Viewer = { userId: number; country: string | undefined; favorites: Favorites };
type ShownProvider = z.input<typeof GameProviderPublic>;
type Query = z.output<typeof GamesQuery>;

type Deps = {
  visible: Visible;
  playedBy: PlayStats['playedBy'];
  /** A game as players see it in a list. */
  show: (game: Game) => Shown;
  providers: () => Iterable<Provider>;
  mainPage: () => ReadonlyMap<string, readonly number[]>;
  find: (id: number) => Game | undefined;
  brand: string;
  clock: { now(): number };
};

/** The lists of games and providers that a player sees. */
export function createLists(deps: Deps) {
  const { visible } = deps;
  return {
    games: (viewer: Viewer, query: Query) => gamesOf(deps, viewer, query),

    favorites(viewer: Viewer, query: z.output<typeof FavoritesQuery>): Page<Shown> {
      const { sortBy, sortOrder, category } = query;
      const filter = { category, name: foldedOf(query.name) };
      const rows = [...viewer.favorites].flatMap(([id, at]) => {
        const game = deps.find(id);
        return game && visible.isSeen(game, viewer.country) && isMeant(game, filter) ? [{ game, at }] : [];
      });
      rows.sort((a, b) => {
        const order =
          sortBy === 'NAME' ? byText(a.game.folded, b.game.folded) : a.at.getTime() - b.at.getTime();
        return order || a.game.id - b.game.id;
      });
      const shown = pageIn(rows, query, sortOrder === 'desc').map(({ game }) => asShown(deps, game, true));
      return paginated(shown, query, rows.length);
    },

    /** Throws 404 GAME_NOT_FOUND for a game that this player does not see. */
    one(viewer: Viewer, game: Game | undefined): Shown {
      if (!game || !visible.isSeen(game, viewer.country)) throw casinoErrors.GAME_NOT_FOUND();
      const isFavorite = viewer.favorites.has(game.id);
      return visible.answer(JSON.stringify(['game', game.id, isFavorite]), () => ({
        ...asShown(deps, game, isFavorite),
        info: infoOf(game),
      }));
    },

    /** Staff's choice, or what is most popular or newest where staff has chosen nothing. */
    main({ country, favorites }: Viewer): z.input<typeof MainPage> {
      const shared = visible.answer(JSON.stringify(['main', country]), () =>
        Object.fromEntries(MAIN_PAGE.map((section) => [section, sectionOf(deps, section, country)])),
      );
      if (favorites.size === 0) return shared;
      const entries = Object.entries(shared) as [Section, Shown[]][];
      return Object.fromEntries(entries.map(([section, games]) => [section, markedRows(games, favorites)]));
    },

    /** Those that have a game for this player. */
    providers(viewer: Viewer, query: z.output<typeof ProvidersQuery>): Page<ShownProvider> {
      return visible.answer(JSON.stringify(['providers', query, viewer.country]), () =>
        providersOf(deps, viewer.country, query),
      );
    },
  };
}

const ORDERS = { default: 'popular', popular: 'popular', addedAt: 'addedAt', name: 'name' } as const;

const foldedOf = (name: string | undefined) => (name === undefined ? undefined : fold(name));

const asShown = ({ show }: Deps, game: Game, isFavorite = false): Shown => ({ ...show(game), isFavorite });

/** The same page, unless a game in it is one of these. */
function marked(page: Page<Shown>, favorites: Favorites): Page<Shown> {
  const data = markedRows(page.data, favorites);
  return data === page.data ? page : { ...page, data };
}

function markedRows(rows: Shown[], favorites: Favorites): Shown[] {
  if (favorites.size === 0 || !rows.some(({ id }) => favorites.has(id))) return rows;
  return rows.map((row) => (favorites.has(row.id) ? { ...row, isFavorite: true } : row));
}

async function gamesOf(deps: Deps, viewer: Viewer, query: Query): Promise<Page<Shown>> {
  const { visible } = deps;
  const { sortBy, sortOrder, page, take, ...filter } = query;
  const wanted: Wanted = { ...filter, country: viewer.country, name: foldedOf(filter.name) };
  const isOwn = sortBy === 'random' || sortBy === 'lastPlayed';
  const rows = isOwn ? await ownOrder(deps, { viewer, wanted, query }) : visible.list(ORDERS[sortBy], wanted);
  // Names stand from a to z, all else in the order that is asked for as `desc`.
  const isTurned = sortBy !== 'lastPlayed' && (sortOrder === 'asc') !== (sortBy === 'name');
  const make = () =>
    paginated(
      pageIn(rows, query, isTurned).map((game) => asShown(deps, game)),
      query,
      rows.length,
    );
  if (isOwn) return marked(make(), viewer.favorites);
  return marked(visible.answer(JSON.stringify(['games', query, wanted.country]), make), viewer.favorites);
}

/** An order that only this player sees: by chance, or by when they played. */
async function ownOrder(
  { visible, playedBy, clock }: Deps,
  { viewer: { userId }, wanted, query }: { viewer: Viewer; wanted: Wanted; query: Query },
): Promise<readonly Game[]> {
  if (query.sortBy === 'random') {
    const day = dayOf(clock.now());
    return visible.own(JSON.stringify([userId, day, wanted]), () =>
      shuffled(visible.list('id', wanted), { userId, day }),
    );
  }
  const times = await playedBy(userId);
  const all = visible.list('popular', wanted);
  const at = (game: Game) => times.get(game.id)!.getTime();
  const played = all.filter((game) => times.has(game.id)).sort((a, b) => at(b) - at(a) || a.id - b.id);
  if (query.sortOrder === 'asc') played.reverse();
  return [...played, ...all.filter((game) => !times.has(game.id))];
}

function sectionOf(deps: Deps, section: Section, country: string | undefined): Shown[] {
  const { visible, find, mainPage } = deps;
  const chosen = mainPage().get(section) ?? [];
  const first = () =>
    section === NEWEST
      ? visible.list('addedAt', { country })
      : visible.list('popular', { country, category: section });
  const games = chosen.length > 0 ? chosen.flatMap((id) => find(id) ?? []) : first().slice(0, SECTION_LENGTH);
  return games.filter((game) => visible.isSeen(game, country)).map((game) => asShown(deps, game));
}

function providersOf(
  { visible, providers, brand }: Deps,
  country: string | undefined,
  query: z.output<typeof ProvidersQuery>,
): Page<ShownProvider> {
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
