import { z } from 'zod';
import { CurrencyId, Decimal, Id, object, PageNumber, SortOrder, Timestamp } from '../../../http/schemas.ts';
import { errors } from '../../../platform/errors.ts';
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';

export const leaderboardErrors = errors({
  LEADERBOARD_NOT_FOUND: [404, 'This leaderboard does not exist.'],
  LEADERBOARD_SCHEDULE_NOT_FOUND: [404, 'This schedule does not exist. Use daily, weekly or monthly.'],
  LEADERBOARD_USER_NOT_FOUND: [404, 'This player is not on the leaderboard.'],
  LEADERBOARD_NOT_FINISHED: [
    409,
    'The places are not final yet. Pay prizes once the leaderboard awaits payout.',
  ],
  LEADERBOARD_PRIZE_PAID: [409, 'The prize for this place has already been paid.'],
  LEADERBOARD_NO_PRIZE: [409, 'This player has no prize: their place has none, or they are not eligible.'],
  LEADERBOARD_STATUS_CONFLICT: [409, 'The leaderboard has ended or was cancelled; see `details.status`.'],
});

const TYPES = ['DAILY', 'WEEKLY', 'MONTHLY', 'SPECIAL'] as const;
const STATUSES = [
  ...(['SCHEDULED', 'ACTIVE', 'FINALIZING'] as const),
  ...(['AWAITING_PAYOUT', 'FINISHED', 'CANCELLED'] as const),
] as const;
export const Type = z.enum(TYPES);
export const Status = z.enum(STATUSES);
export type Status = z.output<typeof Status>;

export const PrizePlace = object('PrizePlace', { place: z.number().int().min(1), usdAmount: Decimal });
export type PrizePlace = z.output<typeof PrizePlace>;

const LeaderboardEligibility = object('LeaderboardEligibility', {
  categories: z.array(z.string()),
  providerIds: z.array(z.number().int()),
  gameSlugs: z.array(z.string()),
}).meta({
  description: 'A game counts if it matches any of these lists. If all lists are empty, every game counts.',
});

const config = {
  name: z.string(),
  description: z.string(),
  currencyId: CurrencyId,
  minBetUsd: Decimal,
  prizes: z.array(PrizePlace),
  eligible: LeaderboardEligibility,
};
const LeaderboardScheduleConfig = object('LeaderboardScheduleConfig', {
  ...config,
  type: z.enum(['DAILY', 'WEEKLY', 'MONTHLY']),
});
const RunConfig = object('LeaderboardConfig', { ...config, type: Type });

export const LeaderboardPublic = object('LeaderboardPublic', {
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: z.string(),
  status: Status,
  startDate: Timestamp,
  endDate: Timestamp,
  currency: CurrencyId,
  prizes: z.array(PrizePlace),
  prizePoolUsd: Decimal,
  minBetUsd: Decimal,
  eligible: LeaderboardEligibility,
  participants: z.number().int(),
  countsBetsBy: z.literal('SETTLED_AT').meta({
    description:
      'A bet counts if it is settled at or after startDate and before endDate. A bet that was placed before endDate but settled ' +
      'later does not count. Only the part of a stake that was won or lost counts.',
  }),
});

export const LeaderboardUser = object('LeaderboardUser', {
  leaderboardId: z.string(),
  userId: UserId,
  user: ShortPrivateUser,
  place: z.number().int().nullable(),
  score: Decimal,
  isWinner: z.boolean(),
  isWaitingForPrice: z.boolean().meta({ description: 'True while the prize has not been paid.' }),
  prizeUsdAmount: Decimal.nullable(),
  fullUsdAmount: Decimal.nullable(),
  currencyId: CurrencyId.nullable(),
  paidAmount: Decimal.nullable(),
  paidAt: Timestamp.nullable(),
  updatedAt: Timestamp,
});

export const Leaderboard = object('Leaderboard', {
  type: z.string(),
  status: z.string(),
  id: z.string(),
  name: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  description: z.string().nullable(),
  config: RunConfig,
  startDate: Timestamp,
  endDate: Timestamp,
  scheduleId: z.string().nullable(),
  leaderboardUsers: z.array(LeaderboardUser).optional(),
  schedule: z
    .object({ id: z.string(), enabled: z.boolean(), config: LeaderboardScheduleConfig })
    .nullable()
    .optional(),
});

export const LeaderboardSchedule = object('LeaderboardSchedule', {
  id: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  enabled: z.boolean(),
  config: LeaderboardScheduleConfig,
  leaderboards: z.array(Leaderboard).meta({ description: 'The latest 20 leaderboards of the schedule.' }),
});

export const LeaderboardPrize = object('LeaderboardPrize', {
  leaderboardId: z.string(),
  userId: UserId,
  place: z.number().int().nullable(),
  usdAmount: Decimal,
  fullUsdAmount: Decimal.nullable(),
  currencyId: CurrencyId,
  amount: Decimal,
  transactionId: z.string(),
  paidAt: Timestamp,
});

export const LeaderboardPath = z.object({ leaderboardId: Id });

export const SORTS = ['startDate', 'endDate', 'createdAt'] as const;
export const paging = { sortOrder: SortOrder.default('desc'), page: PageNumber };
