import { z } from 'zod';
import { Amount, CurrencyId, Decimal, Id, object, Timestamp } from '../../../../http/schemas.ts';
import { event, events } from '../../../base/events/schemas.ts';
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

/** A deposit as staff see it. `userId` is null if the address belongs to no player. */
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

export const depositEvents = events({
  'deposit.status': event(
    'user',
    'The status of a deposit changed.',
    z.strictObject({
      depositId: Id,
      status: z.enum([
        ...DepositStatus.options,
        // Statuses of skin deposits.
        ...(['PENDING', 'IN_HOLD', 'SUCCESS', 'FAIL', 'HOLD_APPROVED', 'HOLD_RETURNED'] as const),
      ]),
      currencyId: CurrencyId,
      amount: Amount.nullable().meta({ description: 'Null if the amount is not known yet.' }),
    }),
  ),
});
