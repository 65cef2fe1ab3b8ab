import { z } from 'zod';
import { Id, object, PageNumber, SortOrder, sortKey, Timestamp, take, text } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { Category, GameInfo, GamePublic, GameType } from '../bets/schemas.ts';

export const SlugPath = z.object({ slug: Id });
/** Part of a name, ignoring case and accents. */
export const NamePart = text(100).optional();
export const ProviderId = z.number().int().min(0).max(2_147_483_647);

export const pageFields = { sortOrder: SortOrder.default('desc'), page: PageNumber, take: take(30) };
export const GAME_ORDERS = ['name', 'addedAt', 'default', 'popular', 'lastPlayed', 'random'] as const;

export const GamesQuery = z.strictObject({
  category: Category.optional(),
  type: GameType.optional(),
  providerId: ProviderId.optional(),
  name: NamePart,
  sortBy: z.enum(GAME_ORDERS).default('default'),
  ...pageFields,
});

export const ProvidersQuery = z.strictObject({
  gameCategory: Category.optional(),
  name: NamePart,
  sortBy: z.enum(['name', 'createdAt']).default('createdAt'),
  ...pageFields,
});

export const FavoritesQuery = z.strictObject({
  sortBy: sortKey(
    { createdAt: 'createdAt', name: 'name', CREATED_AT: 'createdAt', NAME: 'name' },
    'CREATED_AT',
  ),
  category: Category.optional(),
  name: NamePart,
  ...pageFields,
});

/** Sections of the main page: categories, and the newest games. */
export const NEWEST = 'NEW_RELEASES';
export const SECTIONS = [...Category.options, NEWEST] as const;
export type Section = (typeof SECTIONS)[number];
/** The sections that the main page shows. */
export const MAIN_PAGE: readonly Section[] = ['HOUSE_GAME', 'SLOTS', 'ROULETTE', 'GAME_SHOWS', NEWEST];

/** The response contains only the sections in `MAIN_PAGE`. */
export const MainPage = z.object(
  Object.fromEntries(SECTIONS.map((section) => [section, z.array(GamePublic).optional()])) as {
    [S in Section]: z.ZodOptional<z.ZodArray<typeof GamePublic>>;
  },
);

export const GameProviderAdmin = object('GameProviderAdmin', {
  id: z.number().int(),
  name: z.string(),
  originName: z.string(),
  createdAt: Timestamp,
  slug: z.string(),
  prefix: z.string().nullable(),
  enabled: z.boolean(),
  gamesCount: z.number().int().optional(),
  images: z.array(z.string()),
  customImages: z.array(z.string()),
});

export const GameAdmin = object('GameAdmin', {
  type: GameType,
  categories: z.array(Category),
  id: z.number().int(),
  createdAt: Timestamp,
  addedAt: Timestamp,
  lastPlayedAt: Timestamp.nullable(),
  slug: z.string(),
  name: z.string(),
  providerId: z.number().int(),
  walletId: z
    .string()
    .meta({ description: 'Slug of the provider that makes the wallet calls for the game.' }),
  provider: GameProviderAdmin,
  enabled: z.boolean(),
  tags: z.array(z.string()),
  originalSlug: z.string().nullable(),
  info: GameInfo.nullable(),
  settings: z.record(z.string(), z.unknown()).nullable(),
  images: z.array(z.string()),
  customImages: z.array(z.string()),
  promoGameWhitelist: z.array(z.string()),
});

/** Maximum number of games in a section of the main page. */
export const SECTION_LENGTH = 20;

export const oneOf = (names: readonly string[]) =>
  z
    .string()
    .regex(new RegExp(`^(${names.join('|')})$`), 'is none of them')
    .meta({ example: 'SLOTS' });

export const CategoryName = oneOf(Category.options).transform((name) => name as Category);

/** A string without leading and trailing spaces. */
export const trimmed = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^\S(.*\S)?$/, 'is empty or begins or ends with a blank');

export const GameId = z.number().int().min(1).max(2_147_483_647);

export const CommissionCategory = z
  .string()
  .regex(new RegExp(`^(${Category.options.join('|')})$`), 'is not a category')
  .meta({ example: 'SLOTS' });

export const casinoErrors = errors({
  GAME_NOT_FOUND: [404, 'There is no such game.'],
  PROVIDER_NOT_FOUND: [404, 'Game provider not found.'],
  COMMISSION_NOT_FOUND: [404, 'No commission rule exists for this provider, category and game.'],
  COMMISSION_EXISTS: [
    409,
    'A commission rule for this provider, category and game already exists. Change that rule.',
  ],
});
