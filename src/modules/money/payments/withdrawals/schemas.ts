import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  Moment,
  PageNumber,
  SortOrder,
  Timestamp,
  take,
} from '../../../../http/schemas.ts';
import { ShortPrivateUser } from '../../../base/users/schemas.ts';
import { StatusChange } from '../deposits/schemas.ts';
import { STATUSES } from './rules.ts';

const NetworkId = z.string().min(1).max(32).meta({ example: 'tron' });
const Code = z.string().min(6).max(16);

export const EligibilityQuery = z.strictObject({ currencyId: CurrencyId });

const PublicWithdrawalBlock = z
  .object({ reasonPublic: z.string().nullable(), blockUntil: Timestamp.nullable() })
  .meta({ id: 'PublicWithdrawalBlock' });

export const WithdrawEligibility = z
  .object({
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
  })
  .meta({ id: 'WithdrawEligibility' });

export const EstimateRequest = z
  .strictObject({ currencyId: CurrencyId, networkId: NetworkId, amount: Amount })
  .meta({ id: 'WithdrawEstimateRequest' });

export const WithdrawEstimate = z
  .object({
    amount: Decimal,
    fee: Decimal,
    receiveAmount: Decimal,
    usdAmount: Decimal,
    rate: Decimal,
    quoteId: z.string(),
    expiresAt: Timestamp,
  })
  .meta({ id: 'WithdrawEstimate' });

export const WithdrawRequest = z
  .strictObject({
    currencyId: CurrencyId,
    networkId: NetworkId,
    amount: Amount,
    recipientAddress: z.string().min(1).max(200),
    recipientMemo: z.string().min(1).max(100).optional(),
    mfaCode: Code.optional(),
    quoteId: z.string().min(1).max(600).optional(),
  })
  .meta({ id: 'WithdrawRequest' });

const ShownStatus = z.enum(STATUSES).exclude(['UNKNOWN_OUTCOME']);

export const PlayerWithdrawal = z
  .object({
    id: z.string(),
    status: ShownStatus,
    amount: Decimal,
    fee: Decimal,
    receiveAmount: Decimal,
    currencyId: z.string(),
    usdAmount: Decimal,
    networkId: z.string().nullable(),
    recipientAddress: z.string(),
    recipientMemo: z.string().nullable(),
    txHash: z.string().nullable(),
    confirmations: z.number(),
    rejectReason: z.string().nullable(),
    failedReason: z.string().nullable(),
    statusHistory: z.array(StatusChange),
    etaMinutes: z.number().int().nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    confirmedAt: Timestamp.nullable(),
  })
  .meta({ id: 'PlayerWithdrawal' });

const sorted = { sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt') };

export const PlayerWithdrawalQuery = z.strictObject({
  status: ShownStatus.optional(),
  ...sorted,
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

export const WithdrawalId = z.strictObject({ id: Id }).meta({ id: 'WithdrawalId' });
export const WithdrawalPath = z.object({ id: Id });

export const Withdrawal = z
  .object({
    amount: Decimal,
    currencyId: z.string(),
    status: z.string(),
    usdAmount: Decimal,
    networkId: z.string().nullable(),
    providerId: z.string().nullable(),
    recipientAddress: z.string(),
    recipientMemo: z.string().nullable(),
    confirmedAt: Timestamp.nullable(),
    confirmations: z.number(),
    rejectReason: z.string().nullable(),
    updatedAt: Timestamp,
    transactionId: z.string().nullable(),
    id: z.string(),
    txHash: z.string().nullable(),
    createdAt: Timestamp,
    user: ShortPrivateUser.optional(),
    confirmedByUser: ShortPrivateUser.nullable(),
    failedReason: z.string().nullable(),
    confirmedByUserId: z.number().int().nullable(),
  })
  .meta({ id: 'Withdrawal' });

export const WithdrawalQuery = z.strictObject({
  ...sorted,
  sortOrder: SortOrder.default('desc'),
  status: z.enum(STATUSES).optional(),
  userId: z.number().int().min(1).max(2_147_483_647).optional(),
  username: z.string().min(1).max(64).optional(),
  page: PageNumber,
  take: take(100),
});

export const Rejection = z
  .strictObject({ id: Id, rejectReason: z.string().trim().min(1).max(500) })
  .meta({ id: 'WithdrawalRejection' });

export const WithdrawalStats = z
  .object({
    total: z.number(),
    waitingForApproval: z.number(),
    approved: z.number(),
    rejected: z.number(),
    failed: z.number(),
  })
  .meta({ id: 'WithdrawalStats' });

export const UserPath = z.object({ userId: z.number().int().min(1).max(2_147_483_647) });

export const NewWithdrawalBlock = z
  .strictObject({
    reason: z.string().trim().min(1).max(1000).optional(),
    reasonPublic: z.string().trim().min(1).max(500).optional(),
    blockUntil: Moment.optional(),
  })
  .meta({ id: 'NewWithdrawalBlock' });

export const WithdrawalBlock = z
  .object({
    userId: z.number().int(),
    reason: z.string().nullable(),
    reasonPublic: z.string().nullable(),
    blockUntil: Timestamp.nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'WithdrawalBlock' });
