import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { page, SuccessResponse } from '../../../http/schemas.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Administration } from './administer.ts';
import { casinoErrors } from './errors.ts';
import type { Hydration } from './hydrate/service.ts';
import type { Pictures } from './pictures.ts';
import {
  BulkChange,
  BulkChanged,
  GameAdmin,
  GameChange,
  GameProviderAdmin,
  MainPageCategory,
  MainPageChange,
  NoFields,
  ProviderChange,
  SlugPath,
  StaffGamesQuery,
  StaffProvidersQuery,
  TagsChange,
} from './schemas.ts';
import type { StaffLists } from './staff-lists.ts';

const tag = 'Admin Casino';
const games = '/admin/casino/games';
const read = { method: 'GET', tag, access: { permission: 'casino.read' } } as const;
const write = { tag, access: { permission: 'casino.write' }, gate: 'none' } as const;
const ofGame = { params: SlugPath, response: GameAdmin, errors: [casinoErrors.GAME_NOT_FOUND] } as const;
const ofProvider = {
  params: SlugPath,
  response: GameProviderAdmin,
  errors: [casinoErrors.PROVIDER_NOT_FOUND],
} as const;

type Services = {
  staffLists: StaffLists;
  administration: Administration;
  pictures: Pictures;
  hydration: Hydration;
};

export const casinoStaffRoutes = (s: Services) => [
  ...gameRoutes(s),
  ...imageRoutes(s.pictures),
  ...providerRoutes(s),
  ...mainPageRoutes(s),
  route({
    ...write,
    method: 'POST',
    path: `${games}/hydrate`,
    summary: 'Have the games of all providers taken over now; a worker also does it every 12 hours',
    description: 'Answers before it is done; nothing happens while it is running already.',
    handler: ({ by }) => s.hydration.request(by),
  }),
];

const gameRoutes = ({ staffLists, administration }: Services) => [
  route({
    ...read,
    path: `${games}/all`,
    summary: 'All games, hidden ones too',
    description: '`name` is a part of the name, `slug` is the whole one. `lastPlayed`: by anybody.',
    query: StaffGamesQuery,
    response: page(GameAdmin),
    handler: ({ user, query }) => staffLists.games(user.id, query),
  }),
  route({
    ...read,
    ...ofGame,
    path: `${games}/{slug}`,
    summary: 'One game',
    handler: ({ params }) => staffLists.game(params.slug),
  }),
  route({
    ...write,
    ...ofGame,
    method: 'POST',
    path: `${games}/{slug}`,
    summary: 'Change the main category of a game or its return as it is shown, stop it, or let it go on',
    body: GameChange,
    handler: ({ by, params, body }) => administration.game(by, params.slug, body),
  }),
  route({
    ...write,
    ...ofGame,
    method: 'PUT',
    path: `${games}/{slug}/tags`,
    summary: 'Replace the tags of a game',
    body: TagsChange,
    handler: ({ by, params, body }) => administration.tags(by, params.slug, body),
  }),
  route({
    ...write,
    method: 'POST',
    path: `${games}/bulk`,
    summary: 'Stop many games, let them go on, or change their main category; each for itself',
    body: BulkChange,
    response: BulkChanged,
    handler: ({ by, body }) => administration.bulk(by, body),
  }),
];

const imageRoutes = (pictures: Pictures) => [
  route({
    ...write,
    ...ofGame,
    method: 'POST',
    path: `${games}/{slug}/images`,
    summary: 'Give a game a custom image, which becomes its cover; the original stays',
    description:
      'Drawn anew as WebP of 480 × 640 pixels. A game has 5 custom images at most: of more the oldest goes.',
    multipart: 'image',
    body: NoFields,
    errors: [...ofGame.errors, commonErrors.IMAGE_INVALID],
    handler: ({ by, params, file }) => pictures.addToGame(by, params.slug, file),
  }),
  route({
    ...write,
    ...ofGame,
    method: 'DELETE',
    path: `${games}/{slug}/images`,
    summary: 'Remove the custom images of a game; the original stays',
    handler: ({ by, params }) => pictures.clearGame(by, params.slug),
  }),
  route({
    ...write,
    ...ofProvider,
    method: 'POST',
    path: `${games}/providers/{slug}/images`,
    summary: 'Give a provider a custom image, which becomes its cover; the original stays',
    description:
      'Drawn anew as WebP of 480 × 240 pixels. A provider has 5 custom images at most: of more the oldest goes.',
    multipart: 'image',
    body: NoFields,
    errors: [...ofProvider.errors, commonErrors.IMAGE_INVALID],
    handler: ({ by, params, file }) => pictures.addToProvider(by, params.slug, file),
  }),
  route({
    ...write,
    ...ofProvider,
    method: 'DELETE',
    path: `${games}/providers/{slug}/images`,
    summary: 'Remove the custom images of a provider; the original stays',
    handler: ({ by, params }) => pictures.clearProvider(by, params.slug),
  }),
];

const providerRoutes = ({ staffLists, administration }: Services) => [
  route({
    ...read,
    path: `${games}/providers`,
    summary: 'Providers of games; the house is one of them',
    query: StaffProvidersQuery,
    response: page(GameProviderAdmin),
    handler: ({ query }) => staffLists.providers(query),
  }),
  route({
    ...read,
    ...ofProvider,
    path: `${games}/providers/{slug}`,
    summary: 'One provider of games',
    handler: ({ params }) => staffLists.provider(params.slug),
  }),
  route({
    ...write,
    ...ofProvider,
    method: 'PATCH',
    path: `${games}/providers/{slug}`,
    summary: 'Rename a provider, take its games out of the catalogue, or put them back',
    body: ProviderChange,
    handler: ({ by, params, body }) => administration.provider(by, params.slug, body),
  }),
];

const mainPageRoutes = ({ staffLists, administration }: Services) => [
  route({
    ...read,
    path: `${games}/main`,
    summary: "Staff's choice for each category of the main page, and for NEW_RELEASES",
    response: z.array(MainPageCategory),
    handler: () => staffLists.main(),
  }),
  route({
    ...write,
    method: 'POST',
    path: `${games}/main`,
    summary: 'Choose the games of a category of the main page, in their order; none: the most popular',
    body: MainPageChange,
    response: SuccessResponse,
    errors: [casinoErrors.GAME_NOT_FOUND],
    handler: ({ by, body }) => administration.main(by, body),
  }),
];
