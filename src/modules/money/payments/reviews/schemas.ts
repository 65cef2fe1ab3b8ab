import { z } from 'zod';
import { Decimal, object, Timestamp } from '../../../../http/schemas.ts';
import { ShortPrivateUser } from '../../../base/users/schemas.ts';
import { Deposit } from '../deposits/schemas.ts';
import { ACTIONS } from './rules.ts';

export const ReviewAction = z.enum(ACTIONS);

const DepositProposal = object('DepositProposal', {
  id: z.string(),
  action: ReviewAction,
  state: z.enum(['PROPOSED', 'DONE', 'REJECTED', 'LAPSED']),
  userId: z.number().int().nullable(),
  amount: Decimal.nullable(),
  address: z.string().nullable(),
  memo: z.string().nullable(),
  reason: z.string(),
  proposedBy: ShortPrivateUser.nullable(),
  decidedBy: ShortPrivateUser.nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});

const DepositReturn = object('DepositReturn', {
  reference: z.string(),
  status: z.enum(['QUEUED', 'PROCESSING', 'UNKNOWN_OUTCOME', 'SENT', 'COMPLETED', 'FAILED']),
  amount: Decimal,
  fee: Decimal,
  address: z.string(),
  memo: z.string().nullable(),
  txHash: z.string().nullable(),
  failedReason: z.string().nullable(),
});

export const DepositReview = object('DepositReview', {
  ...Deposit.shape,
  reasons: z
    .array(z.string())
    .meta({ description: 'Why the deposit is under review, earliest reason first.' }),
  confirmedAt: Timestamp.nullable().meta({ description: 'When the coins were confirmed; null if not yet.' }),
  suspended: Decimal.meta({ description: 'Amount in the suspense account.' }),
  reportedCurrency: z.string().nullable(),
  reportedAmount: z.string().nullable(),
  outcomeCurrencyId: z.string().nullable(),
  outcomeAmount: Decimal.nullable(),
  report: z.string().nullable().meta({ description: 'The text of the report, if it could not be parsed.' }),
  actions: z.array(ReviewAction).meta({ description: 'Actions that are currently possible.' }),
  candidates: z.array(ShortPrivateUser).meta({ description: 'Players who may own the deposit.' }),
  proposals: z.array(DepositProposal).meta({ description: 'Proposals and decisions, newest first.' }),
  returned: DepositReturn.nullable().meta({ description: 'The latest payout that returns the deposit.' }),
});
