import { z } from 'zod';
import { Decimal, object, Timestamp } from '../../../../http/schemas.ts';
import { ShortPrivateUser } from '../../../base/users/schemas.ts';
import { DEPOSIT_STATUSES } from './rules.ts';

export const DepositStatus = z.enum(DEPOSIT_STATUSES);

export const StatusChange = object('StatusChange', {
  status: z.string(),
  at: Timestamp,
  reason: z.string().nullable(),
});

const deposit = {
  id: z.string(),
  amount: Decimal,
  currencyId: z.string(),
  usdAmount: Decimal,
  networkId: z.string().nullable(),
  depositBonus: Decimal.nullable(),
  payAddress: z.string().nullable(),
  payMemo: z.string().nullable(),
  txHash: z.string().nullable(),
  transactionId: z.string().nullable(),
  createdAt: Timestamp,
};

export const PlayerDeposit = object('PlayerDeposit', {
  ...deposit,
  status: DepositStatus,
  confirmations: z.number().int(),
  requiredConfirmations: z.number().int(),
  statusHistory: z.array(StatusChange),
});

/** A deposit as staff see it. `userId` is null if no player has the address. */
export const Deposit = object('Deposit', {
  ...deposit,
  status: z.string(),
  affiliateAmount: Decimal,
  userId: z.number().int().nullable(),
  user: ShortPrivateUser.optional(),
  affiliateCodeId: z.string().nullable(),
  externalId: z.string().nullable(),
  providerId: z.string().nullable(),
});
