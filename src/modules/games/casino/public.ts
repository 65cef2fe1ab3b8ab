import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, page } from '../../../http/schemas.ts';
import { Category, GameProviderPublic, GamePublic } from '../bets/schemas.ts';
import { casinoErrors, GAME_ORDERS, GamesQuery, MainPage, ProvidersQuery, SlugPath } from './schemas.ts';
import type { CasinoDeps } from './service.ts';

/** Visitors without a session see the games that are allowed in the country of their address, so shared caches must not store the lists. */
const read = {
  method: 'GET',
  tag: 'Casino',
  access: 'anonymous',
  cache: { scope: 'private', seconds: 60 },
} as const;

export const listGamesPublicly = operation({
  ...read,
  path: '/public/casino/games',
  summary: 'List games for visitors without a session',
  description:
    'Has the filters and orders of GET /casino/games, except `lastPlayed`. The country of the address decides which games are ' +
    'listed. `random` is the same for all visitors and changes with the UTC day. `isFavorite` is always false.',
  query: GamesQuery.extend({
    sortBy: z.enum(GAME_ORDERS).exclude(['lastPlayed']).default('default'),
  }),
  response: page(GamePublic),
  handler: async ({ catalogue }: CasinoDeps, { ip, query }) =>
    catalogue.lists.games(await catalogue.visitorFrom(ip), query),
});

export const getMainPagePublicly = operation({
  ...read,
  path: '/public/casino/games/main',
  summary: 'List the games of the main page for visitors',
  response: MainPage,
  handler: async ({ catalogue }: CasinoDeps, { ip }) => catalogue.lists.main(await catalogue.visitorFrom(ip)),
});

const CategoryCount = object('CategoryCount', { category: Category, gamesCount: z.number().int() });

export const listCategories = operation({
  ...read,
  path: '/public/casino/games/categories',
  summary: 'List the categories that contain games',
  description: 'A game with several categories is counted in each of them.',
  response: z.array(CategoryCount),
  handler: async ({ catalogue: { visible, visitorFrom } }: CasinoDeps, { ip }) => {
    const { country } = await visitorFrom(ip);
    return Category.options
      .map((category) => ({ category, gamesCount: visible.list('id', { country, category }).length }))
      .filter(({ gamesCount }) => gamesCount > 0);
  },
});

export const listProvidersPublicly = operation({
  ...read,
  path: '/public/casino/games/providers',
  summary: 'List game providers for visitors',
  query: ProvidersQuery,
  response: page(GameProviderPublic),
  handler: async ({ catalogue }: CasinoDeps, { ip, query }) =>
    catalogue.lists.providers(await catalogue.visitorFrom(ip), query),
});

export const getGamePublicly = operation({
  ...read,
  path: '/public/casino/games/{slug}',
  summary: 'Get a game for visitors',
  params: SlugPath,
  response: GamePublic,
  errors: [casinoErrors.GAME_NOT_FOUND],
  handler: async ({ catalogue }: CasinoDeps, { ip, params: { slug } }) =>
    catalogue.lists.one(await catalogue.visitorFrom(ip), catalogue.state.now().bySlug.get(slug)),
});
