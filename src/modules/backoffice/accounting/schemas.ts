import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  object,
  SortOrder,
  strictObject,
  Timestamp,
  text,
} from '../../../http/schemas.ts';
import { UserId } from '../../base/users/schemas.ts';
import { TYPES } from './rules.ts';

const Type = z.enum(TYPES);
const Direction = z.enum(['IN', 'OUT']);
const WalletName = z.enum(['CASH', 'VAULT', 'BONUS', 'HOLD']);
const Time = z.iso.datetime();

export const Transaction = object('TransactionDto', {
  id: z.string().meta({ description: 'The ledger posting and the side of it that this movement is.' }),
  type: Type,
  direction: Direction,
  userId: z.number().int(),
  currencyId: CurrencyId,
  amount: Decimal,
  usdAmount: Decimal.meta({ description: 'At the rate of this moment.' }),
  balanceBefore: Decimal,
  balanceAfter: Decimal,
  wallet: WalletName,
  referenceType: z.string().nullable().meta({ description: 'bet, deposit, withdrawal, vault, adjustment …' }),
  referenceId: z.string().nullable(),
  actorId: z.number().int().nullable().meta({ description: 'Who moved it, unless the user did.' }),
  note: z.string().nullable(),
  createdAt: Timestamp,
});

/** Texts are compared whole, the username whatever its case; amounts and times include their bounds. */
export const TransactionFilter = strictObject('TransactionFilterDto', {
  id: text(64).optional(),
  userId: UserId.optional(),
  username: text(64).optional(),
  type: Type.optional(),
  direction: Direction.optional(),
  wallet: WalletName.optional(),
  currencyId: text(16).optional(),
  referenceType: text(64).optional(),
  referenceId: text(200).optional(),
  actorId: UserId.optional(),
  minUsdAmount: Amount.meta({ description: 'At the rates of this moment.' }).optional(),
  maxUsdAmount: Amount.meta({ description: 'At the rates of this moment.' }).optional(),
  startDate: Time.optional(),
  endDate: Time.optional(),
});

const SORTS = ['createdAt', 'amount', 'usdAmount'] as const;

export const TransactionSearch = z.strictObject({
  sortBy: z.enum(SORTS),
  sortOrder: SortOrder,
  where: TransactionFilter.optional(),
  // Required, though their usual values are known.
  page: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).meta({ default: 1 }),
  take: z.number().int().min(1).max(100).meta({ default: 20 }),
});

export const UserQuery = z.strictObject({ userId: UserId.meta({ example: 2_000_000_000 }) });

export const UsdBalance = object('UsdBalance', { usdAmount: Decimal });
