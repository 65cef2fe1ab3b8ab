import { useQuery } from '@tanstack/react-query';
import type { GameProviderPublic, Input, Refused } from '../../client/call.ts';
import { call } from '../kit/api.ts';
import { useRead } from '../kit/query.ts';
import { useOptionalMe } from '../kit/session.tsx';

/** Games that visitors may see have operations of their own. A player's lists also contain favourites and the time of the last bet. */
const GAMES = 'GET /casino/games';
const OPEN_GAMES = 'GET /public/casino/games';
const MAIN = 'GET /casino/games/main';
const OPEN_MAIN = 'GET /public/casino/games/main';
const ONE = 'GET /casino/games/{slug}';
const OPEN_ONE = 'GET /public/casino/games/{slug}';
const PROVIDERS = 'GET /casino/games/providers';
const OPEN_PROVIDERS = 'GET /public/casino/games/providers';

/** Operations whose responses change when a favourite is added or removed. */
export const WITH_FAVOURITES = [GAMES, MAIN, ONE, 'GET /casino/games/favorite'] as const;

export type GamesQuery = NonNullable<Input<typeof GAMES>['query']>;
type OpenQuery = NonNullable<Input<typeof OPEN_GAMES>['query']>;
export type Category = NonNullable<GamesQuery['category']>;

const STALE_MS = 60_000;

/** A list of games. */
export function useGames(query: GamesQuery, isEnabled = true) {
  const isIn = useOptionalMe() !== undefined;
  const own = useRead(GAMES, { query }, { isEnabled: isEnabled && isIn, staleMs: STALE_MS });
  const open = useRead(
    OPEN_GAMES,
    { query: query as OpenQuery },
    { isEnabled: isEnabled && !isIn, staleMs: STALE_MS },
  );
  return isIn ? own : open;
}

/** The first games of each section of the main page. */
export function useMainPage() {
  const isIn = useOptionalMe() !== undefined;
  const own = useRead(MAIN, {}, { isEnabled: isIn, staleMs: STALE_MS });
  const open = useRead(OPEN_MAIN, {}, { isEnabled: !isIn, staleMs: STALE_MS });
  return isIn ? own : open;
}

export function useGame(slug: string) {
  const isIn = useOptionalMe() !== undefined;
  const own = useRead(ONE, { path: { slug } }, { isEnabled: isIn, staleMs: STALE_MS });
  const open = useRead(OPEN_ONE, { path: { slug } }, { isEnabled: !isIn, staleMs: STALE_MS });
  return isIn ? own : open;
}

/** More pages of providers are not read. */
const MOST_PAGES = 10;
const PROVIDERS_TAKE = 30;

/** All providers with at least one game, in the order of their names. */
export function useAllProviders(gameCategory?: Category) {
  const isIn = useOptionalMe() !== undefined;
  const op = isIn ? PROVIDERS : OPEN_PROVIDERS;
  return useQuery<GameProviderPublic[], Refused>({
    queryKey: [op, 'all', gameCategory],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const found: GameProviderPublic[] = [];
      for (let page = 1; page <= MOST_PAGES; page++) {
        const query = { gameCategory, sortBy: 'name', sortOrder: 'asc', page, take: PROVIDERS_TAKE } as const;
        const { data, totalPages } = await call(op, { query }, { signal });
        found.push(...data);
        if (page >= totalPages) break;
      }
      return found;
    },
  });
}

/** Number of games in each category that has games. */
export const useCategories = () => useRead('GET /public/casino/games/categories', {}, { staleMs: STALE_MS });

/** The addresses of two lists differ from the codes of their categories. */
const ADDRESSES: Readonly<Record<string, string>> = { HOUSE_GAME: 'originals', NEW_RELEASES: 'new' };

/** Returns the path of the page with all games of a category. */
export const pathOf = (category: Category | 'NEW_RELEASES'): string =>
  `/casino/${ADDRESSES[category] ?? category.toLowerCase().replaceAll('_', '-')}`;
