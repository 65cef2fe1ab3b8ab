import { operation } from '../../../http/operation.ts';
import { page, SuccessResponse } from '../../../http/schemas.ts';
import { GameProviderPublic, GamePublic } from '../bets/schemas.ts';
import { casinoErrors, FavoritesQuery, GamesQuery, MainPage, ProvidersQuery, SlugPath } from './schemas.ts';
import type { CasinoDeps } from './service.ts';

const read = { method: 'GET', tag: 'Casino', access: 'auth' } as const;

export const listGames = operation({
  ...read,
  path: '/casino/games',
  summary: 'List the games that you can play',
  description:
    '`default` and `popular` sort by the number of players in the last 30 days. `name` sorts from a to z with `asc`. As a filter, ' +
    '`name` matches a part of the name, ignoring case and accents. `lastPlayed` sorts by the time when the caller last played the ' +
    'game, which is also returned as `lastPlayedAt`. Games that the caller has never played come last, with null. `random` is a ' +
    'different order for each player and UTC day. With every other sort order, `lastPlayedAt` is the time when any player last ' +
    'played the game, or null. In lists, `info` contains only `rtp`. `images` is never empty: a game without a picture has the ' +
    'address of its drawn cover.',
  query: GamesQuery,
  response: page(GamePublic),
  handler: async ({ catalogue }: CasinoDeps, { user, ip, query }) =>
    catalogue.lists.games(await catalogue.viewerOf({ userId: user.id, ip }), query),
});

export const getMainPage = operation({
  ...read,
  path: '/casino/games/main',
  summary: 'List the games of the main page by category',
  description:
    'Returns the games that staff have chosen, in the chosen order. If staff have chosen none, it returns the 20 most popular ' +
    'games, or the 20 newest in NEW_RELEASES. Categories that are not on the main page are omitted.',
  response: MainPage,
  handler: async ({ catalogue }: CasinoDeps, { user, ip }) =>
    catalogue.lists.main(await catalogue.viewerOf({ userId: user.id, ip })),
});

export const listProviders = operation({
  ...read,
  path: '/casino/games/providers',
  summary: 'List the providers whose games you can play',
  query: ProvidersQuery,
  response: page(GameProviderPublic),
  handler: async ({ catalogue }: CasinoDeps, { user, ip, query }) =>
    catalogue.lists.providers(await catalogue.viewerOf({ userId: user.id, ip }), query),
});

export const getGame = operation({
  ...read,
  path: '/casino/games/{slug}',
  summary: 'Get a game',
  params: SlugPath,
  response: GamePublic,
  errors: [casinoErrors.GAME_NOT_FOUND],
  handler: async ({ catalogue }: CasinoDeps, { user, ip, params: { slug } }) =>
    catalogue.lists.one(
      await catalogue.viewerOf({ userId: user.id, ip }),
      catalogue.state.now().bySlug.get(slug),
    ),
});

export const listFavorites = operation({
  ...read,
  path: '/casino/games/favorite',
  summary: 'List your favorite games',
  query: FavoritesQuery,
  response: page(GamePublic),
  handler: async ({ catalogue }: CasinoDeps, { user, ip, query }) =>
    catalogue.lists.favorites(await catalogue.viewerOf({ userId: user.id, ip }), query),
});

const favorite = {
  path: '/casino/games/favorite/{slug}',
  tag: 'Casino',
  access: 'auth',
  gate: 'none',
  params: SlugPath,
  response: SuccessResponse,
  errors: [casinoErrors.GAME_NOT_FOUND],
} as const;

export const addFavorite = operation({
  ...favorite,
  method: 'POST',
  summary: 'Add a game to your favorites',
  handler: async ({ catalogue }: CasinoDeps, { user, ip, params: { slug } }) => {
    const viewer = await catalogue.viewerOf({ userId: user.id, ip });
    const { id } = catalogue.lists.one(viewer, catalogue.state.now().bySlug.get(slug));
    await catalogue.favorites.add(user.id, id);
    return { success: true };
  },
});

/** Games that are hidden now can also be removed from the favorites. */
export const removeFavorite = operation({
  ...favorite,
  method: 'DELETE',
  summary: 'Remove a game from your favorites',
  handler: async ({ catalogue }: CasinoDeps, { user, params: { slug } }) => {
    const game = catalogue.state.now().bySlug.get(slug);
    if (!game) throw casinoErrors.GAME_NOT_FOUND();
    await catalogue.favorites.remove(user.id, game.id);
    return { success: true };
  },
});
