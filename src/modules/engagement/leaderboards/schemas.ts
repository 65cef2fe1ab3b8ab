import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  line,
  Moment,
  object,
  PageNumber,
  page,
  SortOrder,
  strictObject,
  Timestamp,
  take,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser, ShortPublicUser, UserId } from '../../base/users/schemas.ts';

const TYPES = ['DAILY', 'WEEKLY', 'MONTHLY', 'SPECIAL'] as const;
const STATUSES = [
  ...(['SCHEDULED', 'ACTIVE', 'FINALIZING'] as const),
  ...(['AWAITING_PAYOUT', 'FINISHED', 'CANCELLED'] as const),
] as const;
const Type = z.enum(TYPES);
const Status = z.enum(STATUSES);
export type Status = z.output<typeof Status>;

/** So far down prizes go. */
const MOST_PLACES = 1000;
const MOST_PRIZES = 100;

export const PrizePlace = object('PrizePlace', { place: z.number().int().min(1), usdAmount: Decimal });
export type PrizePlace = z.output<typeof PrizePlace>;

const PrizeOf = strictObject('PrizeOfPlace', {
  place: z.number().int().min(1).max(MOST_PLACES),
  usdAmount: Amount,
});
const Prizes = z
  .array(PrizeOf)
  .min(1)
  .max(MOST_PRIZES)
  .refine(
    (prizes) => new Set(prizes.map(({ place }) => place)).size === prizes.length,
    'names a place twice',
  );

const LeaderboardEligibility = object('LeaderboardEligibility', {
  categories: z.array(z.string()),
  providerIds: z.array(z.number().int()),
  gameSlugs: z.array(z.string()),
}).meta({ description: 'Games count that are any of these; all empty: every game.' });

const list = (most: number) => z.array(text(most)).max(100).default([]);
const Eligible = strictObject('LeaderboardGames', {
  categories: list(64),
  providerIds: z.array(z.number().int().min(0).max(2_147_483_647)).max(100).default([]),
  gameSlugs: list(100),
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

// ---------------------------------------------------------------- players

const shown = {
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
};
const LeaderboardPublic = object('LeaderboardPublic', shown);

const LeaderboardStanding = object('LeaderboardStanding', {
  place: z.number().int(),
  user: ShortPublicUser,
  score: Decimal.meta({ description: 'Dollars of own money that were wagered.' }),
  prizeUsd: Decimal,
});
const LeaderboardMyStanding = object('LeaderboardMyStanding', {
  place: z.number().int().nullable(),
  score: Decimal,
  usdToNextPrize: Decimal.nullable().meta({
    description:
      'How far behind whoever holds the next better prize; 0 where nobody does. Null: there is none, or it is over.',
  }),
});
export const LeaderboardDetail = object('LeaderboardDetail', {
  ...shown,
  users: z.array(LeaderboardStanding),
  me: LeaderboardMyStanding.nullable(),
});

const LeaderboardMyRow = object('LeaderboardMyRow', {
  leaderboardId: z.string(),
  name: z.string(),
  place: z.number().int().nullable(),
  score: Decimal,
  prizeUsdAmount: Decimal.nullable().meta({ description: 'Null as long as the places are not final.' }),
  currencyId: CurrencyId.nullable().meta({ description: 'What the prize was paid in.' }),
  status: Status,
  paidAt: Timestamp.nullable(),
});

const paged = { sortOrder: SortOrder.default('desc'), page: PageNumber };
const SORTS = ['startDate', 'endDate', 'createdAt'] as const;
export type SortBy = (typeof SORTS)[number];

export const LeaderboardQuery = z.strictObject({
  status: Status.optional(),
  type: Type.optional(),
  sortBy: z.enum(SORTS).default('startDate'),
  ...paged,
  take: take(20),
});
export const MyQuery = z.strictObject({
  sortBy: z.enum(['endDate', 'prizeUsdAmount', 'place']).default('endDate'),
  ...paged,
  take: take(20),
});
export const DetailQuery = z.strictObject({ take: z.number().int().min(1).max(50).default(50) });
export const LeaderboardPath = z.object({ leaderboardId: Id });
export const LeaderboardPage = page(LeaderboardPublic);
export const MyPage = page(LeaderboardMyRow);

// ---------------------------------------------------------------- staff

export const LeaderboardUser = object('LeaderboardUser', {
  leaderboardId: z.string(),
  userId: UserId,
  user: ShortPrivateUser,
  place: z.number().int().nullable(),
  score: Decimal,
  isWinner: z.boolean(),
  isWaitingForPrice: z.boolean().meta({ description: 'The prize of this place is to be paid.' }),
  prizeUsdAmount: Decimal.nullable(),
  fullUsdAmount: Decimal.nullable(),
  currencyId: CurrencyId.nullable(),
  paidAmount: Decimal.nullable(),
  paidAt: Timestamp.nullable(),
  updatedAt: Timestamp,
});

const run = {
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
};
export const Leaderboard = object('Leaderboard', {
  ...run,
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
  leaderboards: z.array(Leaderboard).meta({ description: 'The latest twenty.' }),
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

export const StaffQuery = z.strictObject({
  withUsers: z.boolean().default(false),
  withSchedule: z.boolean().default(false),
  type: Type.optional(),
  status: Status.optional(),
  sortBy: z.enum(SORTS).default('createdAt'),
  ...paged,
  take: take(100),
});
export const UserQuery = z.strictObject({
  search: text(64).meta({ description: 'The id, or part of the username or e-mail address.' }).optional(),
  isWinner: z.boolean().optional(),
  isWaitingForPrice: z.boolean().optional(),
  page: PageNumber,
  take: take(100),
});
export const SchedulePath = z.object({ id: Id });
export const UserPath = z.object({ leaderboardId: Id, userId: UserId });
export const StaffPage = page(Leaderboard);
export const UserPage = page(LeaderboardUser);

export const ScheduleChange = strictObject('LeaderboardScheduleChange', {
  enabled: z.boolean(),
  name: line(100),
  description: text(1000),
  prizes: Prizes,
});
export const SpecialRequest = strictObject('LeaderboardSpecialRequest', {
  name: line(100),
  description: text(1000),
  startDate: Moment.optional().meta({ description: 'Absent: now.' }),
  endDate: Moment,
  currencyId: CurrencyId,
  minBetUsd: Amount.default('0'),
  prizes: Prizes,
  eligible: Eligible.prefault({}),
});
export const Cancellation = z.strictObject({ reason: text(500).trim().min(1) });
export const PrizeRequest = strictObject('GivePrizeRequest', {
  usdAmount: Amount.optional().meta({ description: "Absent: the prize of the player's place." }),
  fullUsdAmount: Amount.optional().meta({ description: 'The nominal prize; absent: that of the place.' }),
  currency: CurrencyId,
  leaderboardId: Id,
  userId: UserId,
});
