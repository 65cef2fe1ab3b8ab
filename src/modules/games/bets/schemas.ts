import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  jsonText,
  object,
  PageNumber,
  SortOrder,
  strictObject,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser, ShortPublicUser, UserId } from '../../base/users/schemas.ts';
import { LIVE, NOT_COUNTED } from './rules.ts';

export const BetStatus = z.enum(['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK']);
export type BetStatus = z.output<typeof BetStatus>;
const SORTS = ['CREATED_AT', 'USD_AMOUNT'] as const;
export const GameType = z.enum(['SLOTS', 'HOUSE_GAME', 'EVO_GAME', 'SPORTSBOOK']);
export type GameType = z.output<typeof GameType>;

const gameIdentity = {
  id: z.number().int(),
  slug: z.string(),
  name: z.string(),
  type: GameType,
  images: z.array(z.string()),
  providerName: z.string().nullable(),
};

export const ShortGameIdentity = object('ShortGameIdentity', gameIdentity);

const row = {
  id: z.string(),
  status: BetStatus,
  currencyId: CurrencyId,
  amount: Decimal,
  payout: Decimal,
  usdAmount: Decimal,
  usdPayout: Decimal,
  multiplier: z.number(),
  game: ShortGameIdentity,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  settledAt: Timestamp.nullable(),
};

/** Of a bet that was made while a bonus was active in its currency. */
const BetBonus = object('BetBonus', {
  grantId: Id,
  staked: Decimal.meta({ description: 'What of the stake was bonus money.' }),
  counted: Decimal.meta({ description: 'What it counts towards the turnover of the grant.' }),
  notCounted: z.enum(NOT_COUNTED).nullable().meta({
    description:
      'Why it counts nothing: it is open, its game does not count, the grant had ended before it, or it was rolled back.',
  }),
});
const bonus = BetBonus.nullable();

export const BetRow = object('BetRow', { ...row, bonus });

export const AdminBetRow = object('AdminBetRow', {
  ...row,
  userId: z.number().int(),
  user: ShortPrivateUser,
  providerId: z.number().int().nullable(),
  roundId: z.string().nullable().meta({
    description: 'The shared round that it was made in; of a game of a provider, what that calls the round.',
  }),
  externalId: z.string().nullable().meta({ description: 'Of a bet at the sportsbook: what that calls it.' }),
  bonusGrantId: z.string().nullable(),
  bonus,
  errorReason: z.string().nullable().meta({ description: 'Why it could not be settled.' }),
});

const OpenObject = z.record(z.string(), z.unknown());

const BetGame = object('BetGame', {
  ...gameIdentity,
  multiplier: z.number(),
  inputs: OpenObject.nullable(),
  outcome: OpenObject.nullable(),
});

export const BetInfo = object('BetInfo', {
  currencyId: CurrencyId,
  amount: Decimal,
  payout: Decimal,
  betId: z.string(),
  settledAt: Timestamp,
  game: BetGame,
  user: ShortPublicUser,
});

export const GameProviderPublic = object('GameProviderPublic', {
  id: z.number().int(),
  name: z.string(),
  slug: z.string(),
  images: z.array(z.string()),
  gamesCount: z.number().int().optional(),
});

export const GameInfo = object('GameInfo', {
  description: z.string().nullable().optional(),
  rtp: z.number().nullable().optional(),
  volatility: z.enum(['LOW', 'MEDIUM', 'HIGH']).nullable().optional(),
  minBetUsd: Decimal.nullable().optional(),
  maxBetUsd: Decimal.nullable().optional(),
  maxWinMultiplier: z.number().nullable().optional(),
  hasDemo: z.boolean().optional(),
  hasFreeSpins: z.boolean().optional(),
});

export const Category = z.enum([
  ...(['HOUSE_GAME', 'SLOTS', 'LIVE_CASINO', 'BLACKJACK', 'ROULETTE', 'GAME_SHOWS', 'BACCARAT'] as const),
  ...(['VIDEO_POKER', 'CARD', 'CASUAL', 'LOTTERY', 'LIVE', 'POKER', 'CRAPS', 'FISHING', 'CRASH'] as const),
  ...(['VIRTUAL_SPORTS', 'SCRATCH', 'BOOKMAKER'] as const),
]);

export type Category = z.output<typeof Category>;

export const GamePublic = object('GamePublic', {
  categories: z.array(Category),
  id: z.number().int(),
  addedAt: Timestamp,
  lastPlayedAt: Timestamp,
  type: GameType,
  slug: z.string(),
  name: z.string(),
  images: z.array(z.string()),
  info: GameInfo.nullable(),
  provider: GameProviderPublic,
  isFavorite: z.boolean().optional(),
});

export const LiveBetRow = object('LiveBetRow', {
  usdAmount: Decimal,
  usdPayout: Decimal,
  currencyId: CurrencyId,
  amount: Decimal,
  payout: Decimal,
  status: z.string(),
  id: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  user: ShortPublicUser.nullable().optional(),
  gameIdentity: ShortGameIdentity,
  game: GamePublic.optional(),
  multiplier: z.number(),
  isSimulated: z.boolean().optional().meta({
    description: 'True on scenery, which nobody has played (`id` begins with `sim-`); absent on bets.',
  }),
});

export const BetsQuery = z.strictObject({
  sortBy: z.enum(SORTS).default('CREATED_AT'),
  sortOrder: SortOrder.default('desc'),
  status: BetStatus.default('SETTLED'),
  page: PageNumber,
  take: take(20),
});

export const BetPath = z.object({ betId: Id });

/** Texts are compared whole, the username whatever its case; amounts and times include their bounds. */
export const BetsFilter = strictObject('BetsFilterDto', {
  id: text(64).optional(),
  userId: UserId.optional(),
  username: text(64).optional(),
  status: BetStatus.optional(),
  gameType: GameType.optional(),
  category: text(64).optional(),
  gameSlug: text(64).optional(),
  providerId: z.number().int().min(1).max(2_147_483_647).optional(),
  currencyId: text(16).optional(),
  roundId: text(64).optional(),
  externalId: text(200).optional(),
  minUsdAmount: Amount.meta({ description: 'At the rate of the bet.' }).optional(),
  maxUsdAmount: Amount.meta({ description: 'At the rate of the bet.' }).optional(),
  minMultiplier: z.number().min(0).max(1_000_000_000).optional(),
  startDate: z.iso.datetime().optional(),
  endDate: z.iso.datetime().optional(),
});

const search = {
  sortBy: z.enum(SORTS).default('CREATED_AT'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(100),
};

export const BetSearch = z.strictObject({ ...search, where: BetsFilter.optional() });

/** The same in a query: the filter is JSON text. */
export const BetSearchQuery = z.strictObject({
  ...search,
  where: jsonText(BetsFilter)
    .meta({ description: 'BetsFilterDto as JSON text.', example: '{"status":"SETTLED"}' })
    .optional(),
});

export const BetRollback = strictObject('BetRollbackDto', { reason: z.string().trim().min(1).max(500) });

const Count = z.number().int().min(1).max(LIVE);

export const LiveBetType = z.enum(['ALL', 'HIGH_ROLLERS', 'LUCKY_WINS']);
export type LiveBetType = z.output<typeof LiveBetType>;
export const LiveBetsQuery = z.strictObject({ type: LiveBetType, count: Count });
export const OwnLiveBetsQuery = z.strictObject({ status: BetStatus.default('SETTLED'), count: Count });
