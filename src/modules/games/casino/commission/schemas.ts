import { z } from 'zod';
import { object, PageNumber, Timestamp, take } from '../../../../http/schemas.ts';
import { Category } from '../../bets/schemas.ts';

const PERCENT = /^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/;
const OpenObject = z.record(z.string(), z.unknown());
const Provider = z.number().int().min(0).max(2_147_483_647);
const Game = z.number().int().min(1).max(2_147_483_647);
const CategoryName = z
  .string()
  .regex(new RegExp(`^(${Category.options.join('|')})$`), 'is not a category')
  .meta({ example: 'SLOTS' });

export const GgrCommissionRule = object('GgrCommissionRule', {
  ggrPercent: z.string(),
  category: z.string().nullable(),
  id: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  providerId: z.number().int(),
  gameId: z.number().int().nullable(),
  payload: OpenObject.nullable(),
});

export const EffectiveCommission = object('EffectiveCommission', {
  slug: z.string(),
  ggrPercent: z.string(),
  match: z.enum(['PROVIDER_CATEGORY_GAME', 'PROVIDER_GAME', 'PROVIDER_CATEGORY', 'PROVIDER', 'TYPE_DEFAULT']),
  rule: GgrCommissionRule.nullable(),
  explanation: z.string(),
});

export const CommissionChange = z.strictObject({
  category: CategoryName.nullable(),
  ggrPercent: z
    .string()
    .regex(PERCENT, 'needs to be from 0 to 100 with at most four decimals')
    .meta({ example: '4.5' }),
  providerId: Provider,
  gameId: Game.nullable(),
  payload: OpenObject.nullable(),
});

export const CommissionRemoval = z.strictObject({
  category: CategoryName.nullish(),
  providerId: Provider,
  gameId: Game.nullish(),
});

/** In a query the text `null` stands for null. */
const orNull = <T extends z.ZodType>(type: T) =>
  z.preprocess((value) => (value === 'null' ? null : value), type.nullable());

export const CommissionQuery = z.strictObject({
  providerId: Provider.optional(),
  category: orNull(CategoryName).optional(),
  gameId: orNull(Game).optional(),
  page: PageNumber,
  take: take(20),
});

export const CommissionPath = z.object({ id: Game });
export const EffectiveQuery = z.strictObject({ slug: z.string().min(1).max(64) });
