import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  object,
  SortOrder,
  strictObject,
  Time,
  Timestamp,
  text,
} from '../../../http/schemas.ts';
import { ShortPrivateUser, UserId } from '../../base/users/schemas.ts';
import { TYPES } from './rules.ts';

const Type = z.enum(TYPES);
const Direction = z.enum(['IN', 'OUT']);
const WalletName = z.enum(['CASH', 'VAULT', 'BONUS', 'HOLD']);

export const Transaction = object('TransactionDto', {
  id: z.string().meta({
    description: 'The id of the ledger posting, followed by the direction of this movement: `-IN` or `-OUT`.',
  }),
  type: Type,
  direction: Direction,
  userId: z.number().int(),
  user: ShortPrivateUser.optional().meta({ description: 'The player whose money moved.' }),
  currencyId: CurrencyId,
  amount: Decimal,
  usdAmount: Decimal.meta({ description: 'Converted at the current exchange rate.' }),
  balanceBefore: Decimal,
  balanceAfter: Decimal,
  wallet: WalletName,
  referenceType: z
    .string()
    .nullable()
    .meta({ description: 'For example bet, deposit, withdrawal, vault or adjustment.' }),
  referenceId: z.string().nullable(),
  actorId: z.number().int().nullable().meta({
    description: 'The staff member or other user who moved the money. Null if the account owner did.',
  }),
  note: z.string().nullable(),
  createdAt: Timestamp,
});

/** Text fields must match exactly; usernames ignore letter case. Amount and time bounds are inclusive. */
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
  minUsdAmount: Amount.meta({
    description: 'Compared with amounts converted at current exchange rates.',
  }).optional(),
  maxUsdAmount: Amount.meta({ description: 'At current exchange rates.' }).optional(),
  startDate: Time.optional(),
  endDate: Time.optional(),
});

const SORTS = ['createdAt', 'amount', 'usdAmount'] as const;

export const TransactionSearch = z.strictObject({
  sortBy: z.enum(SORTS),
  sortOrder: SortOrder,
  where: TransactionFilter.optional(),
  // These fields are required, although the API documents default values for them.
  page: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).meta({ default: 1 }),
  take: z.number().int().min(1).max(100).meta({ default: 20 }),
});
