import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  Moment,
  object,
  PageNumber,
  SortOrder,
  strictObject,
  Timestamp,
  take,
} from '../../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../../../base/users/schemas.ts';
import { StatusChange } from '../deposits/schemas.ts';
import { STATUSES } from './rules.ts';

const NetworkId = z.string().min(1).max(32).meta({ example: 'tron' });
const Code = z.string().min(6).max(64);

export const EligibilityQuery = z.strictObject({ currencyId: CurrencyId });

const PublicWithdrawalBlock = object('PublicWithdrawalBlock', {
  reasonPublic: z.string().nullable(),
  blockUntil: Timestamp.nullable(),
});

export const WithdrawEligibility = object('WithdrawEligibility', {
  canWithdraw: z.boolean(),
  available: Decimal,
  lockedByRollover: Decimal,
  wagerRemainingUsd: Decimal,
  kyc: z.object({
    required: z.boolean(),
    tier: z.enum(['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS']).nullable(),
  }),
  block: PublicWithdrawalBlock.nullable(),
  mfaRequired: z.boolean(),
  minAmount: Decimal,
  maxAmount: Decimal,
  dailyRemainingUsd: Decimal.nullable(),
  reasons: z.array(z.string()),
});

export const EstimateRequest = strictObject('WithdrawEstimateRequest', {
  currencyId: CurrencyId,
  networkId: NetworkId,
  amount: Amount,
});

export const WithdrawEstimate = object('WithdrawEstimate', {
  amount: Decimal,
  fee: Decimal,
  receiveAmount: Decimal,
  usdAmount: Decimal,
  rate: Decimal,
  quoteId: z.string(),
  expiresAt: Timestamp,
});

export const WithdrawRequest = strictObject('WithdrawRequest', {
  currencyId: CurrencyId,
  networkId: NetworkId,
  amount: Amount,
  recipientAddress: z.string().min(1).max(200),
  recipientMemo: z.string().min(1).max(100).optional(),
  mfaCode: Code.optional(),
  quoteId: z.string().min(1).max(600).optional(),
});

export const ShownStatus = z.enum(STATUSES).exclude(['UNKNOWN_OUTCOME']);

const withdrawal = {
  id: z.string(),
  amount: Decimal,
  currencyId: z.string(),
  usdAmount: Decimal,
  networkId: z.string().nullable(),
  recipientAddress: z.string(),
  recipientMemo: z.string().nullable(),
  txHash: z.string().nullable(),
  confirmations: z.number(),
  rejectReason: z.string().nullable(),
  failedReason: z.string().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  confirmedAt: Timestamp.nullable(),
};

export const PlayerWithdrawal = object('PlayerWithdrawal', {
  ...withdrawal,
  status: ShownStatus,
  fee: Decimal,
  receiveAmount: Decimal,
  statusHistory: z.array(StatusChange),
  etaMinutes: z.number().int().nullable(),
});

const sorted = {
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
};

export const PlayerWithdrawalQuery = z.strictObject({
  ...sorted,
  status: ShownStatus.optional(),
  take: take(20),
});

export const WithdrawalId = strictObject('WithdrawalId', { id: Id });
export const WithdrawalPath = z.object({ id: Id });

export const Withdrawal = object('Withdrawal', {
  ...withdrawal,
  status: z.string(),
  providerId: z.string().nullable(),
  transactionId: z.string().nullable(),
  user: ShortPrivateUser.optional(),
  confirmedByUser: ShortPrivateUser.nullable(),
  confirmedByUserId: z.number().int().nullable(),
});

export const WithdrawalQuery = z.strictObject({
  ...sorted,
  status: z.enum(STATUSES).optional(),
  userId: UserId.optional(),
  username: z.string().min(1).max(64).optional(),
  take: take(100),
});

export const Rejection = strictObject('WithdrawalRejection', {
  id: Id,
  rejectReason: z.string().trim().min(1).max(500),
});

export const WithdrawalStats = object('WithdrawalStats', {
  total: z.number(),
  waitingForApproval: z.number(),
  approved: z.number(),
  rejected: z.number(),
  failed: z.number(),
});

export const UserPath = z.object({ userId: UserId });

export const NewWithdrawalBlock = strictObject('NewWithdrawalBlock', {
  reason: z.string().trim().min(1).max(1000).optional(),
  reasonPublic: z.string().trim().min(1).max(500).optional(),
  blockUntil: Moment.optional(),
});

export const WithdrawalBlock = object('WithdrawalBlock', {
  userId: z.number().int(),
  reason: z.string().nullable(),
  reasonPublic: z.string().nullable(),
  blockUntil: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
