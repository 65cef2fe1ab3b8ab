import { route } from '../../../http/route.ts';
import { page, SuccessResponse } from '../../../http/schemas.ts';
import { GameProviderPublic, GamePublic } from '../bets/schemas.ts';
import { casinoErrors } from './errors.ts';
import { FavoritesQuery, GamesQuery, MainPage, ProvidersQuery, SlugPath } from './schemas.ts';
import type { Catalogue } from './service.ts';

const read = { method: 'GET', tag: 'Casino', access: 'auth' } as const;
const favorite = {
  path: '/casino/games/favorite/{slug}',
  tag: 'Casino',
  access: 'auth',
  gate: 'none',
  params: SlugPath,
  response: SuccessResponse,
  errors: [casinoErrors.GAME_NOT_FOUND],
} as const;

export const casinoRoutes = (catalogue: Catalogue) => [
  route({
    ...read,
    path: '/casino/games',
    summary: 'Games that may be played, by filter',
    description:
      '`default` and `popular`: by players in the last 30 days. `name` sorts from a to z with `asc`; as a filter it is a part of the name, ' +
      'whatever its case and accents. `lastPlayed`: when the caller played; games that they never played stand last. `random`: another order ' +
      'for each player and UTC day. `lastPlayedAt` is when anybody last played a game, or when it was added; `info` is on a single game alone.',
    query: GamesQuery,
    response: page(GamePublic),
    handler: ({ user, ip, query }) => catalogue.list({ userId: user.id, ip }, query),
  }),
  route({
    ...read,
    path: '/casino/games/main',
    summary: 'Games of the main page, by category',
    description:
      "Staff's choice in staff's order, else the 20 most popular ones; of NEW_RELEASES the 20 newest. Categories that the main page does not show are left out.",
    response: MainPage,
    handler: ({ user, ip }) => catalogue.main({ userId: user.id, ip }),
  }),
  route({
    ...read,
    path: '/casino/games/providers',
    summary: 'Providers whose games may be played',
    query: ProvidersQuery,
    response: page(GameProviderPublic),
    handler: ({ user, ip, query }) => catalogue.providers({ userId: user.id, ip }, query),
  }),
  route({
    ...read,
    path: '/casino/games/favorite',
    summary: 'Own favourite games',
    query: FavoritesQuery,
    response: page(GamePublic),
    handler: ({ user, ip, query }) => catalogue.favorites({ userId: user.id, ip }, query),
  }),
  route({
    ...favorite,
    method: 'POST',
    summary: 'Make a game one of the own favourites',
    handler: ({ user, ip, params }) => catalogue.addFavorite({ userId: user.id, ip }, params.slug),
  }),
  route({
    ...favorite,
    method: 'DELETE',
    summary: 'Take a game out of the own favourites',
    handler: ({ user, ip, params }) => catalogue.removeFavorite({ userId: user.id, ip }, params.slug),
  }),
  route({
    ...read,
    path: '/casino/games/{slug}',
    summary: 'One game',
    params: SlugPath,
    response: GamePublic,
    errors: [casinoErrors.GAME_NOT_FOUND],
    handler: ({ user, ip, params }) => catalogue.get({ userId: user.id, ip }, params.slug),
  }),
];
