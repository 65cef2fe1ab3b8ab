import { z } from 'zod';
import { Id, PageNumber, SortOrder, take, text } from '../../../http/schemas.ts';
import { Category, GamePublic, GameType } from '../bets/schemas.ts';

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

/** Only categories that the main page shows are there. */
export const MainPage = z.object(
  Object.fromEntries(SECTIONS.map((section) => [section, z.array(GamePublic).optional()])) as {
    [S in Section]: z.ZodOptional<z.ZodArray<typeof GamePublic>>;
  },
);
