import { z } from 'zod';
import { CurrencyId, Decimal, Id, object, sortKey, Timestamp } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { ShortPrivateUser, ShortPublicUser } from '../../base/users/schemas.ts';
import { NOT_COUNTED } from './rules.ts';

export const BetStatus = z.enum(['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK']);
export type BetStatus = z.output<typeof BetStatus>;
export const BetSort = sortKey(
  { createdAt: 'createdAt', usdAmount: 'usdAmount', CREATED_AT: 'createdAt', USD_AMOUNT: 'usdAmount' },
  'createdAt',
);
export const GameType = z.enum(['SLOTS', 'HOUSE_GAME', 'EVO_GAME', 'SPORTSBOOK']);
export type GameType = z.output<typeof GameType>;

export const gameIdentity = {
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

/** The bonus part of a bet that was placed while a bonus was active in its currency. */
const BetBonus = object('BetBonus', {
  grantId: Id,
  staked: Decimal.meta({ description: 'The part of the stake that was bonus money.' }),
  counted: Decimal.meta({
    description: 'The amount that counts towards the wagering requirement of the grant.',
  }),
  notCounted: z
    .enum(NOT_COUNTED)
    .nullable()
    .meta({
      description:
        'Why the bet does not count: it is open, its game does not count, the grant had already ended, it was rolled back, its stake was ' +
        'returned (PUSH), or it risked almost nothing (LOW_RISK; see the terms of the promotion).',
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
    description: "The id of the shared round, or the provider's id of the round of a provider game.",
  }),
  externalId: z.string().nullable().meta({ description: "The provider's id of a sportsbook bet." }),
  bonusGrantId: z.string().nullable(),
  bonus,
  errorReason: z.string().nullable().meta({ description: 'Why the bet could not be settled.' }),
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
  lastPlayedAt: Timestamp.nullable(),
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
  windowId: z.string().nullable().optional().meta({
    description: 'The `windowId` sent with the bet. Null if none was sent. Present only on your own bets.',
  }),
  isSimulated: z.boolean().optional().meta({
    description: 'True for a simulated row, which is not a bet (`id` begins with `sim-`). Absent for bets.',
  }),
});

export const BetPath = z.object({ betId: Id });

export const LiveBetType = z.enum(['ALL', 'HIGH_ROLLERS', 'LUCKY_WINS']);
export type LiveBetType = z.output<typeof LiveBetType>;

export const betErrors = errors({
  BET_NOT_FOUND: [404, 'Bet not found.'],
  BET_NOT_SETTLED: [409, 'The bet is not settled yet, so it cannot be rolled back.'],
  BETS_DETACHED: [409, 'Some months of bets are detached: attach all of them first.'],
  BET_ARCHIVED: [409, 'The partition that contains this bet is detached. Attach it first.'],
  BET_OF_PROVIDER: [409, 'Only the game provider can roll back this bet.'],
  BET_ROLLED_BACK: [409, 'The bet was already rolled back.'],
});
