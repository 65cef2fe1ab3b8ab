import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  object,
  PageNumber,
  SortOrder,
  strictObject,
  Timestamp,
} from '../../../../http/schemas.ts';
import { event, events } from '../../../base/events/schemas.ts';
import { ShortPrivateUser, UserId } from '../../../base/users/schemas.ts';
import { StatusChange } from '../deposits/schemas.ts';
import { STATUSES } from './rules.ts';

export const NetworkId = z.string().min(1).max(32).meta({ example: 'tron' });

export const recipientFields = {
  recipientAddress: z.string().min(1).max(200),
  recipientMemo: z.string().min(1).max(100).optional(),
};

/** Statuses that players see. */
export const PlayerStatus = z.enum(STATUSES).exclude(['UNKNOWN_OUTCOME']);

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
  status: PlayerStatus,
  fee: Decimal,
  receiveAmount: Decimal,
  statusHistory: z.array(StatusChange),
  etaMinutes: z.number().int().nullable(),
});

export const Withdrawal = object('Withdrawal', {
  ...withdrawal,
  status: z.string(),
  providerId: z.string().nullable(),
  transactionId: z.string().nullable(),
  user: ShortPrivateUser.optional(),
  confirmedByUser: ShortPrivateUser.nullable(),
  confirmedByUserId: z.number().int().nullable(),
  riskScore: z.number().int().meta({ description: 'The risk score at the time of the request, 0 to 100.' }),
  riskReasons: z.array(z.string()).meta({ description: 'The facts that contributed to the score.' }),
  holdReason: z.string().nullable(),
  holdUntil: Timestamp.nullable().meta({
    description: 'When the hold ends. Null without a hold, or if the hold lasts until staff decide.',
  }),
  needsTwoPeople: z.boolean().optional().meta({
    description:
      'Whether two people must approve it. Present only if one withdrawal is read by its id and staff can approve it now.',
  }),
  firstApprovedByUser: ShortPrivateUser.nullable().meta({
    description:
      'The first of two approvers. Null if one person approves alone, or if no one has approved yet.',
  }),
  riskPoints: z.record(z.string(), z.number().int()).meta({
    description: 'The points that each reason adds to a score.',
    example: { NEW_ADDRESS: 10 },
  }),
});

export const sorting = {
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
};

export const WithdrawalId = strictObject('WithdrawalId', { id: Id });
export const WithdrawalPath = z.object({ id: Id });
export const UserPath = z.object({ userId: UserId });

export const withdrawalEvents = events({
  'withdraw.status': event(
    'user',
    'The status of a withdrawal changed, as its player sees it.',
    z.strictObject({
      withdrawalId: Id,
      status: PlayerStatus,
      currencyId: CurrencyId,
      amount: Amount,
    }),
  ),
});
