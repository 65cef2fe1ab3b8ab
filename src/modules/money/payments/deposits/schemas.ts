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
import { ShortPrivateUser } from '../../../base/users/schemas.ts';
import { DEPOSIT_STATUSES } from './rules.ts';

const Status = z.enum(DEPOSIT_STATUSES);
const UserId = z.number().int().min(1).max(2_147_483_647);
const SORTS = ['createdAt', 'usdAmount'] as const;

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

export const PlayerDeposit = object('PlayerDeposit', {
  id: z.string(),
  status: Status,
  amount: Decimal,
  currencyId: z.string(),
  usdAmount: Decimal,
  networkId: z.string().nullable(),
  depositBonus: Decimal.nullable(),
  payAddress: z.string().nullable(),
  payMemo: z.string().nullable(),
  txHash: z.string().nullable(),
  transactionId: z.string().nullable(),
  confirmations: z.number().int(),
  requiredConfirmations: z.number().int(),
  statusHistory: z.array(StatusChange),
  createdAt: Timestamp,
});

export const PlayerDepositPage = page(PlayerDeposit);

export const PlayerDepositQuery = z.strictObject({
  status: Status.optional(),
  currencyId: CurrencyId.optional(),
  sortBy: z.enum(SORTS).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});

/** As staff sees it. userId null: nobody has the address that was paid to. */
export const Deposit = object('Deposit', {
  amount: Decimal,
  currencyId: z.string(),
  status: z.string(),
  usdAmount: Decimal,
  networkId: z.string().nullable(),
  affiliateAmount: Decimal,
  depositBonus: Decimal.nullable(),
  id: z.string(),
  txHash: z.string().nullable(),
  createdAt: Timestamp,
  userId: z.number().int().nullable(),
  payAddress: z.string().nullable(),
  payMemo: z.string().nullable(),
  user: ShortPrivateUser.optional(),
  affiliateCodeId: z.string().nullable(),
  externalId: z.string().nullable(),
  providerId: z.string().nullable(),
  transactionId: z.string().nullable(),
});

export const DepositPage = page(Deposit);
export const DepositPath = z.object({ id: Id });

export const DepositQuery = z.strictObject({
  sortBy: z.enum(SORTS).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  status: Status.optional(),
  userId: UserId.optional(),
  page: PageNumber,
  take: take(100),
});
