import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  object,
  PageNumber,
  page,
  SortOrder,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser, ShortPublicUser, UserId } from '../../base/users/schemas.ts';
import { ShortGameIdentity } from '../../games/bets/schemas.ts';
import { STATUSES, toE4 } from './rules.ts';

const Multiplier = z.number();

// ---------------------------------------------------------------- players

const shown = {
  id: z.string(),
  title: z.string(),
  imageUrl: z.string().nullable(),
  targetGame: ShortGameIdentity,
  minBetAmountUsd: Decimal,
  minBetMultiplier: Multiplier,
  rewardCurrency: CurrencyId,
  rewardAmount: Decimal,
  rewardUsdAmount: Decimal,
  status: z.enum(STATUSES),
  winner: ShortPublicUser.nullable().meta({
    description: 'Masked where they hide. Until the challenge is FINISHED another bet may win.',
  }),
  winnerSelectedAt: Timestamp.nullable(),
};

export const ChallengePublic = object('ChallengePublic', shown);
export const ChallengePublicPage = page(ChallengePublic);

export const ChallengePublicDetail = object('ChallengePublicDetail', {
  ...shown,
  betId: z.string().nullable(),
  rules: z.string(),
});

export const ChallengeMyRow = object('ChallengeMyRow', {
  challenge: ChallengePublic,
  isWon: z.boolean().meta({ description: 'The reward was paid to the player.' }),
  bestMultiplier: Multiplier,
  betId: z.string(),
  settledAt: Timestamp,
});
export const ChallengeMyPage = page(ChallengeMyRow);

export const ChallengePath = z.object({ id: z.uuid() });

export const ChallengeQuery = z.strictObject({
  isFinished: z.boolean().optional(),
  gameSlug: text(64).optional(),
  search: text(50).optional(),
  sortBy: z
    .enum(['createdAt', 'rewardUsdAmount', 'minBetMultiplier', 'winnerSelectedAt'])
    .default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

export const ChallengeMyQuery = z.strictObject({
  sortBy: z.enum(['settledAt', 'bestMultiplier']).default('settledAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

// ---------------------------------------------------------------- staff

export const Challenge = object('Challenge', {
  id: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  defaultTitle: z.string(),
  title: z.string(),
  imageUrl: z.string().nullable(),
  minBetAmountUsd: Decimal,
  minBetMultiplier: Multiplier,
  rewardCurrency: CurrencyId,
  rewardAmount: Decimal,
  rewardUsdAmount: Decimal,
  validBetsCount: z.number().int().meta({ description: 'Bets that can win it, up to about 1,000.' }),
  creator: ShortPrivateUser,
  targetGame: ShortGameIdentity,
  isHidden: z.boolean(),
  winner: ShortPrivateUser.nullable(),
  winnerSelectedAt: z.string().meta({ description: 'Empty while there is no winner.' }),
  winnerConfirmedBy: ShortPrivateUser.nullable(),
  betId: z.string().meta({ description: 'Empty while there is no winner.' }),
});
export const ChallengePage = page(Challenge);

export const ChallengeBetRow = object('ChallengeBetRow', {
  betId: z.string(),
  userId: z.number().int(),
  user: ShortPrivateUser,
  currencyId: CurrencyId,
  amount: Decimal,
  payout: Decimal,
  usdAmount: Decimal,
  usdPayout: Decimal,
  multiplier: Multiplier,
  settledAt: Timestamp,
});
export const ChallengeBetPage = page(ChallengeBetRow);

const MinMultiplier = z
  .number()
  .min(1)
  .max(1_000_000_000)
  .refine((value) => toE4(value) !== undefined, 'has more than four decimals');

const terms = {
  minBetAmountUsd: Amount,
  rewardCurrency: CurrencyId,
  rewardAmount: Amount,
  gameSlug: Id,
  minBetMultiplier: MinMultiplier,
  isHidden: z.boolean(),
};

export const NewChallenge = z.strictObject(terms);

export const ChallengeChange = z
  .strictObject(terms)
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'changes nothing');

export const AdminChallengeQuery = z.strictObject({
  sortBy: z.enum([
    'createdAt',
    'updatedAt',
    'rewardUsdAmount',
    'minBetAmountUsd',
    'minBetMultiplier',
    'winnerSelectedAt',
  ]),
  sortOrder: SortOrder,
  isFinished: z.boolean().optional(),
  isHidden: z.boolean().optional(),
  winnerSearch: text(50).optional(),
  gameSlug: text(64).optional(),
  page: PageNumber,
  take: take(100),
});

const BetId = z.string().regex(/^[1-9]\d{0,17}$/, 'needs the id of a bet');

export const ChallengeBetQuery = z.strictObject({
  sortBy: z.enum(['settledAt', 'usdAmount', 'multiplier']).default('settledAt'),
  sortOrder: SortOrder.default('asc'),
  userId: UserId.optional(),
  betId: BetId.optional(),
  page: PageNumber,
  take: take(100),
});

export const ChallengeAward = z.strictObject({ betId: BetId, sendNotification: z.boolean() });

export const ChallengeRollback = z.strictObject({
  reason: text(500).trim().min(1),
  withdrawLessIfNotEnoughBalance: z.boolean(),
  sendNotification: z.boolean(),
});

/** An upload has its file, and nothing beside it. */
export const NoFields = z.strictObject({});
