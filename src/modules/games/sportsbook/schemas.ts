import { z } from 'zod';
import { CurrencyId, Decimal, object, strictObject, Timestamp, text } from '../../../http/schemas.ts';

export const SportsbookLogin = strictObject('SportsbookLoginRequest', {
  login: z.string().min(1).max(200),
  password: z.string().min(1).max(200),
});

export const SportsbookSession = z.object({
  token: z.string(),
  expiresIn: z.number().int().meta({ description: 'Seconds.' }),
});

export const PublicKey = z.object({
  kid: z.string(),
  alg: z.string().meta({ example: 'RS256' }),
  publicKey: z.string().meta({ description: 'PEM' }),
});

export const PlayerTokenQuery = z.strictObject({
  currencyId: CurrencyId,
  language: z
    .string()
    .regex(/^[a-z]{2}(-[A-Z]{2})?$/, 'needs a language such as "en" or "pt-BR"')
    .default('en'),
});
export const PlayerToken = z.object({ token: z.string() });

/** Whoever has no key hears that before anything is read. */
export const KeyHeaders = z.object({
  'x-api-key': z.string().meta({ description: 'The token of POST /sportsbook/external/auth/login.' }),
});
export const PlayerPath = z.object({ playerId: z.string().meta({ description: 'Our user id as text.' }) });
export const TransactionPath = PlayerPath.extend({ transactionId: z.string() });
export const BalanceQuery = z.strictObject({ currencies: z.array(z.string()).max(100).optional() });

const SportsbookLimits = object('SportsbookLimits', {
  wagerRemaining: Decimal.nullable().meta({ description: 'US dollars. Null: no limit.' }),
  lossRemaining: Decimal.nullable().meta({ description: 'US dollars. Null: no limit.' }),
});

export const SportsbookPlayer = object('SportsbookPlayer', {
  id: z.string(),
  username: z.string(),
  currency: z.string(),
  country: z.string(),
  language: z.string(),
  isBlocked: z.boolean(),
  isExcluded: z.boolean(),
  limits: SportsbookLimits,
});

export const SportsbookBalance = object('SportsbookBalance', {
  currency: z.string(),
  cash: Decimal,
  locked: Decimal,
  bonus: Decimal,
});

/** What else comes in it is kept. */
const SportsbookContext = z
  .looseObject({
    product: text(100),
    reason: text(100),
    betId: text(200).optional(),
    parentId: text(200).optional(),
    language: text(35).optional(),
  })
  .meta({ id: 'SportsbookContext' });

const Cash = z
  .union([z.string(), z.number()])
  .meta({ description: 'A decimal text or a JSON number, read by its digits.', example: '12.5' });

const AmountsTaken = z
  .looseObject({ cash: Cash, locked: Cash.optional(), bonus: Cash.optional() })
  .meta({ id: 'SportsbookAmountsTaken' });

const SportsbookAmounts = z
  .looseObject({ cash: Decimal, locked: Decimal, bonus: Decimal })
  .meta({ id: 'SportsbookAmounts' });

const TYPES = ['withdrawal', 'deposit', 'rollback', 'award', 'release', 'retract'] as const;
const Stamp = z.iso.datetime({ offset: true }).max(40).meta({ example: '2026-11-21T09:30:00.000Z' });

/** A transaction as the sportsbook sends it. */
export const SportsbookCall = z.strictObject({
  id: text(200).min(1),
  currency: text(16).min(1),
  platform: text(100).nullish(),
  type: z.enum(TYPES),
  initiatedAt: Stamp,
  createdAt: Stamp,
  context: SportsbookContext,
  amountBreakdown: AmountsTaken,
});

const TRANSACTION = {
  id: z.string(),
  playerId: z.string(),
  currency: z.string(),
  platform: z.string().nullable(),
  type: z.enum(TYPES),
  initiatedAt: Timestamp,
  createdAt: Timestamp,
  context: SportsbookContext,
  amountBreakdown: SportsbookAmounts,
};
export const SportsbookTransaction = object('SportsbookTransaction', TRANSACTION);
export const SportsbookTransactionResult = object('SportsbookTransactionResult', {
  ...TRANSACTION,
  balances: z.array(SportsbookBalance),
  alreadyProcessed: z.boolean(),
});

export const BetAsked = strictObject('GetBetRequestDto', { betId: text(200).min(1) });
export const SportsbookBet = z.object({
  betId: z.string(),
  playerId: z.string(),
  status: z.enum(['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK']),
  transactions: z.array(SportsbookTransaction),
});
