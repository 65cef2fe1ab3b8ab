import { z } from 'zod';
import {
  CurrencyId,
  Decimal,
  Id,
  object,
  PageNumber,
  page,
  SortOrder,
  Timestamp,
  take,
} from '../../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../../../base/users/schemas.ts';
import { DEPOSIT_STATUSES } from './rules.ts';

export const DepositStatus = z.enum(DEPOSIT_STATUSES);

export const PaymentMethod = object('PaymentMethod', {
  type: z.enum(['CRYPTO', 'FIAT', 'SKINS']),
  currencyId: z.string().meta({ example: 'USDT' }),
  networkId: z.string().nullable(),
  depositEnabled: z.boolean(),
  withdrawEnabled: z.boolean(),
  minDeposit: Decimal.nullable(),
  minWithdraw: Decimal.nullable(),
  withdrawFee: Decimal.nullable(),
  confirmations: z.number().int(),
  memoRequired: z.boolean(),
  addressPattern: z.string().nullable(),
});

export const MethodQuery = z.strictObject({ direction: z.enum(['DEPOSIT', 'WITHDRAW']).optional() });

export const DepositAddress = object('DepositAddress', {
  payAddress: z.string(),
  payMemo: z.string().nullable(),
  currencyId: z.string(),
  networkId: z.string(),
  minAmount: Decimal,
  confirmations: z.number().int(),
  issuedAt: Timestamp,
});

export const AddressQuery = z.strictObject({ currencyId: CurrencyId, networkId: Id });

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

export const PlayerDepositPage = page(PlayerDeposit);

const sorted = {
  sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  status: DepositStatus.optional(),
  page: PageNumber,
};

export const PlayerDepositQuery = z.strictObject({
  ...sorted,
  currencyId: CurrencyId.optional(),
  take: take(20),
});

/** As staff sees it. userId null: nobody has the address that was paid to. */
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

export const DepositPage = page(Deposit);
export const DepositPath = z.object({ id: Id });

export const DepositQuery = z.strictObject({ ...sorted, userId: UserId.optional(), take: take(100) });
