import { z } from 'zod';
import { Decimal, object, PageNumber, page, SortOrder, Timestamp, take } from '../../../http/schemas.ts';
import { ShortPrivateUser, UserId, Username } from '../../base/users/schemas.ts';
import { ShortGameIdentity } from '../../games/bets/schemas.ts';

export const UserMyStats = object('UserMyStatsDto', {
  wageredUsd: Decimal,
  profitUsd: Decimal,
  betCount: z.number(),
  winCount: z.number(),
  biggestWinUsd: Decimal,
  bestMultiplier: z.number(),
  favoriteGame: ShortGameIdentity.nullable(),
});

export const UserPublicStats = object('UserPublicStatsDto', {
  username: z.string(),
  avatar: z.string().nullable(),
  vipLevel: z.number(),
  isPrivate: z.boolean(),
  createdAt: Timestamp,
  ...UserMyStats.shape,
  wageredUsd: Decimal.nullable(),
  profitUsd: Decimal.nullable(),
  biggestWinUsd: Decimal.nullable(),
});

/** In US dollars; rtp and winRate in percent. */
const full = {
  totalWagered: Decimal,
  totalPayouts: Decimal,
  totalDeposits: Decimal,
  totalWithdraws: Decimal,
  ltv: Decimal,
  ggr: Decimal,
  avgBet: Decimal,
  netDeposit: Decimal,
  totalLoss: Decimal,
  totalBets: z.number(),
  rtp: z.number(),
  winRate: z.number(),
};
export const UserAdminStats = object('UserAdminStatsDto', full);
export const FullUserStats = object('FullUserStats', full);

export const TransactionStatsRow = object('UserTransactionStatsRow', {
  userId: z.number().int(),
  user: ShortPrivateUser,
  amount: Decimal,
  count: z.number(),
  lastTransactionAt: Timestamp,
});
export const TransactionStatsPage = page(TransactionStatsRow);

export const TransactionStatsQuery = z.strictObject({
  transactionType: z.enum(['DEPOSIT', 'WITHDRAW']),
  dataRange: z
    .enum(['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'])
    .optional()
    .meta({ description: 'The running hour, day, week (from Monday) or month in UTC; absent: all time.' }),
  sortBy: z.enum(['amount']).optional(),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(30),
});

export const UsernamePath = z.object({ username: Username });

export const UserPath = z.object({ id: UserId });
/** The backoffice takes the same id as text. */
export const TextUserPath = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .pipe(UserId)
    .meta({ example: '1000' }),
});
