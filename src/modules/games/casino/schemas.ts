import { z } from 'zod';
import { Id, object, PageNumber, SortOrder, Timestamp, take, text } from '../../../http/schemas.ts';
import { Category, GameInfo, GamePublic, GameType, ShortGameIdentity } from '../bets/schemas.ts';

export const SlugPath = z.object({ slug: Id });
/** What a name holds, whatever its case and accents. */
const Name = text(100).optional();
const ProviderId = z.number().int().min(0).max(2_147_483_647);

const pages = { sortOrder: SortOrder.default('desc'), page: PageNumber, take: take(30) };
const GAME_ORDERS = ['name', 'addedAt', 'default', 'popular', 'lastPlayed', 'random'] as const;

export const GamesQuery = z.strictObject({
  category: Category.optional(),
  type: GameType.optional(),
  providerId: ProviderId.optional(),
  name: Name,
  sortBy: z.enum(GAME_ORDERS).default('default'),
  ...pages,
});

export const ProvidersQuery = z.strictObject({
  gameCategory: Category.optional(),
  name: Name,
  sortBy: z.enum(['name', 'createdAt']).default('createdAt'),
  ...pages,
});

export const FavoritesQuery = z.strictObject({
  sortBy: z.enum(['CREATED_AT', 'NAME']).default('CREATED_AT'),
  category: Category.optional(),
  name: Name,
  ...pages,
});

/** Lists of the main page: categories, and the newest games of all. */
export const NEWEST = 'NEW_RELEASES';
export const SECTIONS = [...Category.options, NEWEST] as const;
export type Section = (typeof SECTIONS)[number];
/** Sections that the main page shows. */
export const MAIN_PAGE: readonly Section[] = ['HOUSE_GAME', 'SLOTS', 'ROULETTE', 'GAME_SHOWS', NEWEST];

/** Only categories that the main page shows are there. */
export const MainPage = z.object(
  Object.fromEntries(SECTIONS.map((section) => [section, z.array(GamePublic).optional()])) as {
    [S in Section]: z.ZodOptional<z.ZodArray<typeof GamePublic>>;
  },
);

const oneOf = (names: readonly string[]) =>
  z
    .string()
    .regex(new RegExp(`^(${names.join('|')})$`), 'is none of them')
    .meta({ example: 'SLOTS' });

const CategoryName = oneOf(Category.options).transform((name) => name as Category);

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
  lastPlayedAt: Timestamp,
  slug: z.string(),
  name: z.string(),
  providerId: z.number().int(),
  walletId: z.string().meta({ description: 'Whose wallet calls it makes: the slug of its provider.' }),
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

export const StaffGamesQuery = z.strictObject({
  id: z.number().int().min(1).max(2_147_483_647).optional(),
  category: Category.optional(),
  type: GameType.optional(),
  providerId: ProviderId.optional(),
  enabled: z.boolean().optional(),
  withInfo: z.boolean().optional(),
  slug: text(64).optional(),
  name: Name,
  sortBy: z.enum(GAME_ORDERS).default('addedAt'),
  ...pages,
});

export const StaffProvidersQuery = z.strictObject({
  ...ProvidersQuery.shape,
  enabled: z.boolean().optional(),
});

const Percent = z
  .number()
  .min(0)
  .max(100)
  .meta({ description: 'In percent, rounded to three decimals; shown in place of what the supplier says.' });

export const GameChange = z.strictObject({
  category: CategoryName.optional(),
  rtp: Percent.optional(),
  enabled: z.boolean().optional(),
});

/** Of more than blanks. */
const tidy = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^\S(.*\S)?$/, 'is empty or begins or ends with a blank');

/** An upload has its file, and nothing beside it. */
export const NoFields = z.strictObject({});

const Tag = tidy(30);
const isWithoutDoubles = (texts: readonly string[]) => new Set(texts).size === texts.length;
export const TagsChange = z.strictObject({
  tags: z.array(Tag).max(20).refine(isWithoutDoubles, 'has doubles'),
});

export const BulkChange = z
  .strictObject({
    slugs: z.array(Id).min(1).max(200),
    enabled: z.boolean().optional(),
    category: CategoryName.optional(),
  })
  .refine(({ enabled, category }) => enabled !== undefined || category !== undefined, {
    path: ['enabled'],
    message: 'or category is needed',
  });

export const BulkChanged = z.object({
  updated: z.number().int(),
  results: z.array(z.object({ slug: z.string(), success: z.boolean(), code: z.string().nullable() })),
});

export const ProviderChange = z.strictObject({
  enabled: z.boolean().optional(),
  name: tidy(100).optional(),
});

/** Games in a section of the main page at most. */
export const SECTION_LENGTH = 20;

export const MainPageChange = z.strictObject({
  category: oneOf(SECTIONS),
  slugs: z.array(Id).max(SECTION_LENGTH).refine(isWithoutDoubles, 'has doubles'),
});

export const MainPageCategory = object('MainPageCategory', {
  category: z.string(),
  enabled: z.boolean(),
  slugs: z.array(z.string()),
  games: z.array(ShortGameIdentity),
});
