import { z } from 'zod';
import {
  Amount,
  CurrencyId,
  Decimal,
  Id,
  Moment,
  object,
  strictObject,
  Timestamp,
} from '../../../http/schemas.ts';
import { SKIN_STATUSES } from './rules.ts';

const SkinGame = z.enum(['cs2', 'dota2', 'rust', 'tf2']);
const SkinStatus = z.enum(SKIN_STATUSES);
const PageUrl = z.string().max(500).meta({ example: 'https://play.example.com/wallet' });

export const SkinDepositRequest = strictObject('SkinDepositRequest', {
  currencyId: CurrencyId,
  game: SkinGame,
  minAmountUsd: Amount.optional(),
  successUrl: PageUrl.optional(),
  failUrl: PageUrl.optional(),
});

export const SkinDepositStart = object('SkinDepositStart', {
  depositId: Id,
  url: z.string(),
  transactionId: z.string(),
  expiresAt: Timestamp,
});

const SkinItem = object('SkinItem', { name: z.string(), priceUsd: Decimal });

export const SkinDeposit = object('SkinDeposit', {
  id: Id,
  status: SkinStatus,
  items: z.array(SkinItem),
  usdAmount: Decimal.nullable(),
  creditedAmount: Decimal.nullable(),
  currencyId: CurrencyId,
  holdUntil: Timestamp.nullable(),
  failReason: z.string().nullable(),
});

export const SkinDepositParams = z.object({ id: z.uuid() });

export const SkinWebhook = strictObject('SkinWebhook', {
  transactionId: z.string().min(1).max(100),
  status: SkinStatus,
  items: z
    .array(z.strictObject({ name: z.string().min(1).max(200), priceUsd: Amount }))
    .max(500)
    .optional(),
  usdAmount: Amount.nullable().optional(),
  holdUntil: Moment.nullable().optional(),
  userRisk: z
    .record(z.string(), z.unknown())
    .nullable()
    .optional()
    .meta({ description: '`score`: 0 (no risk) to 100' }),
  failReason: z.string().max(500).nullable().optional(),
  occurredAt: Moment,
});

/** What the marketplace answers to a session. Its other fields are its own business. */
export const Session = z.object({
  transactionId: z.string().min(1).max(100),
  url: z.url({ protocol: /^https?$/ }).max(2000),
  expiresAt: z.iso.datetime({ offset: true }),
});
