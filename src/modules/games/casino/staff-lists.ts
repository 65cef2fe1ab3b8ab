import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import { type Clock, iso } from '../../../platform/clock.ts';
import { type GameTerms, isListed } from '../../money/bonus/rules.ts';
import { casinoErrors } from './errors.ts';
import type { Played } from './played.ts';
import type { Game, Provider } from './queries.ts';
import { byText, dayOf, fold, pageIn, shuffled } from './rules.ts';
import {
  type GameAdmin,
  type GameProviderAdmin,
  MAIN_PAGE,
  type MainPageCategory,
  SECTIONS,
  type StaffGamesQuery,
  type StaffProvidersQuery,
} from './schemas.ts';
import { infoOf, nameOf, toIdentity } from './show.ts';
import type { Known } from './state.ts';
import { isMeant } from './visible.ts';

export type StaffLists = ReturnType<typeof createStaffLists>;

type ShownGame = z.input<typeof GameAdmin>;
type ShownProvider = z.input<typeof GameProviderAdmin>;
type Query = z.output<typeof StaffGamesQuery>;
/** The promotions that are for some games only, and for which. */
export type PromosForSomeGames = () => Promise<readonly { id: bigint; games: GameTerms }[]>;
type Promos = Awaited<ReturnType<PromosForSomeGames>>;
type Deps = {
  known: () => Known;
  played: () => Played | Promise<Played>;
  brand: string;
  clock: Clock;
  promosForSomeGames: PromosForSomeGames;
};

/** Games, providers and the main page as staff sees them: hidden ones too. */
export function createStaffLists(deps: Deps) {
  const { known } = deps;
  return {
    games: (userId: number, query: Query) => listGames(deps, userId, query),

    /** Throws 404 GAME_NOT_FOUND. */
    async game(slug: string): Promise<ShownGame> {
      const game = known().bySlug.get(slug);
      if (!game) throw casinoErrors.GAME_NOT_FOUND();
      const promos = await deps.promosForSomeGames();
      return shownGame(deps, game, { played: await deps.played(), withInfo: true, promos });
    },

    providers: (query: z.output<typeof StaffProvidersQuery>) => listProviders(deps, query),

    /** Throws 404 PROVIDER_NOT_FOUND. */
    provider(slug: string): ShownProvider {
      const provider = known()
        .providers.values()
        .find((one) => one.slug === slug);
      if (!provider) throw casinoErrors.PROVIDER_NOT_FOUND();
      return shownProvider(deps, provider);
    },

    main: (): z.input<typeof MainPageCategory>[] =>
      SECTIONS.map((category) => {
        const ids = known().mainPage.get(category) ?? [];
        const { byId, providers } = known();
        const games = ids.map((id) => byId.get(id)!);
        const enabled = MAIN_PAGE.includes(category);
        return {
          category,
          enabled,
          slugs: games.map(({ slug }) => slug),
          games: games.map((game) => toIdentity(game, providers.get(game.providerId)!)),
        };
      }),
  };
}

async function listGames(deps: Deps, userId: number, query: Query): Promise<Page<ShownGame>> {
  const played = await deps.played();
  const { id, slug, enabled, withInfo = false, sortBy, sortOrder } = query;
  const name = query.name === undefined ? undefined : fold(query.name);
  const matching = deps
    .known()
    .games.filter(
      (game) =>
        isMeant(game, { ...query, name }) &&
        (id === undefined || game.id === id) &&
        (slug === undefined || game.slug === slug) &&
        (enabled === undefined || game.enabled === enabled),
    );
  const rows =
    sortBy === 'random'
      ? shuffled(matching, { userId, day: dayOf(deps.clock.now()) })
      : matching.sort(ascending(sortBy, played));
  const promos = await deps.promosForSomeGames();
  const shown = pageIn(rows, query, sortOrder === 'desc').map((game) =>
    shownGame(deps, game, { played, withInfo, promos }),
  );
  return paginated(shown, query, rows.length);
}

function listProviders(deps: Deps, query: z.output<typeof StaffProvidersQuery>): Page<ShownProvider> {
  const { enabled, gameCategory: category, sortBy, sortOrder } = query;
  const name = query.name === undefined ? undefined : fold(query.name);
  const withCategory = new Set(
    deps
      .known()
      .games.filter((game) => isMeant(game, { category }))
      .map(providerOf),
  );
  const rows = [...deps.known().providers.values()].filter(
    (provider) =>
      (enabled === undefined || provider.enabled === enabled) &&
      (category === undefined || withCategory.has(provider.id)) &&
      (name === undefined || fold(nameOf(provider, deps.brand)).includes(name)),
  );
  rows.sort((a, b) => {
    const older = a.createdAt.getTime() - b.createdAt.getTime();
    return (sortBy === 'name' ? byText(fold(a.name), fold(b.name)) : older) || a.id - b.id;
  });
  const shown = pageIn(rows, query, sortOrder === 'desc').map((one) => shownProvider(deps, one));
  return paginated(shown, query, rows.length);
}

const providerOf = ({ providerId }: Game) => providerId;

function ascending(by: Exclude<Query['sortBy'], 'random'>, played: Played) {
  const value = (game: Game): number => {
    if (by === 'addedAt') return game.addedAt.getTime();
    if (by === 'lastPlayed') return played.lastPlayed.get(game.id)?.getTime() ?? 0;
    return played.players.get(game.id) ?? 0;
  };
  return (a: Game, b: Game): number =>
    (by === 'name' ? byText(a.folded, b.folded) : value(a) - value(b)) || a.id - b.id;
}

function shownGame(
  deps: Deps,
  game: Game,
  { played, withInfo, promos }: { played: Played; withInfo: boolean; promos: Promos },
): ShownGame {
  const provider = deps.known().providers.get(game.providerId)!;
  return {
    type: game.type,
    categories: [...game.categories],
    id: game.id,
    createdAt: iso(game.createdAt),
    addedAt: iso(game.addedAt),
    lastPlayedAt: iso(played.lastPlayed.get(game.id) ?? game.addedAt),
    slug: game.slug,
    name: game.name,
    providerId: game.providerId,
    walletId: provider.slug,
    provider: shownProvider(deps, provider),
    enabled: game.enabled,
    tags: [...game.tags],
    originalSlug: game.code,
    info: withInfo ? infoOf(game) : null,
    settings: game.type === 'HOUSE_GAME' ? game.settings : null,
    images: [...game.images],
    customImages: [...game.customImages],
    promoGameWhitelist: promos.flatMap(({ id, games }) => (isListed(games, game) ? [String(id)] : [])),
  };
}

const counts = new WeakMap<Known['games'], ReadonlyMap<number, number>>();

/** Games of each provider that are in its list. */
function countsOf({ games }: Known): ReadonlyMap<number, number> {
  const kept = counts.get(games);
  if (kept) return kept;
  const listed = games.filter(({ removedAt }) => removedAt === null);
  const made = new Map([...Map.groupBy(listed, providerOf)].map(([id, own]) => [id, own.length]));
  counts.set(games, made);
  return made;
}

function shownProvider({ known, brand }: Deps, provider: Provider): ShownProvider {
  return {
    id: provider.id,
    name: nameOf(provider, brand),
    originName: provider.originName,
    createdAt: iso(provider.createdAt),
    slug: provider.slug,
    prefix: provider.prefix,
    enabled: provider.enabled,
    gamesCount: countsOf(known()).get(provider.id) ?? 0,
    images: [...provider.images],
    customImages: [...provider.customImages],
  };
}
