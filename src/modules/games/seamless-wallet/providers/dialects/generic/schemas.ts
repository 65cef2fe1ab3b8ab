import { z } from 'zod';
import { object, text } from '../../../../../../http/schemas.ts';
import { MaybeFlag, MaybeName, ReportedName } from '../schemas.ts';

const Name = text(200).min(1);
/** The format allows a sign. A negative amount is rejected later, as an invalid amount. */
const SignedAmount = z
  .string()
  .max(40)
  .regex(/^-?(0|[1-9]\d{0,11})(\.\d{1,18})?$/, 'needs to be a decimal number such as "12.5"');

const GAME_ACTIONS = [
  'AUTHENTICATE',
  'BALANCE',
  'BET',
  'WIN',
  'BET_WIN',
  'ROLLBACK',
  'FREE_SPIN_WIN',
  'JACKPOT',
] as const;

/** Unknown fields are ignored, and a metric counts them. */
export const GameWalletRequest = object('GameWalletRequest', {
  action: z.enum(GAME_ACTIONS),
  playerId: Name,
  currency: Name,
  sessionToken: Name.optional().meta({ description: 'Required for AUTHENTICATE, BET and BET_WIN.' }),
  gameCode: Name.optional().meta({ description: 'Required for every action that moves money.' }),
  roundId: Name.optional().meta({
    description: 'Required for every action that moves money, except FREE_SPIN_WIN and JACKPOT.',
  }),
  transactionId: Name.optional().meta({ description: 'Required for every action that moves money.' }),
  referenceTransactionId: Name.optional().meta({
    description: 'Required for ROLLBACK: the transaction to reverse.',
  }),
  amount: SignedAmount.optional().meta({
    description:
      'Required for every action that moves money. ROLLBACK reverses the whole transaction and ignores the amount.',
  }),
  winAmount: SignedAmount.optional().meta({ description: 'Required for BET_WIN.' }),
  roundClosed: z.boolean().optional(),
  timestamp: z.iso.datetime({ offset: true }).optional().meta({ example: '2026-11-21T09:30:00.000Z' }),
});

/** A report of an event that has already happened. It is parsed leniently. */
export const GameWalletReport = z.object({
  playerId: ReportedName,
  currency: ReportedName,
  transactionId: ReportedName,
  amount: z.unknown().optional(),
  sessionToken: MaybeName,
  gameCode: MaybeName,
  roundId: MaybeName,
  referenceTransactionId: MaybeName,
  roundClosed: MaybeFlag,
});

export const GameWalletResponse = object('GameWalletResponse', {
  status: z.enum([
    'OK',
    'INVALID_REQUEST',
    'INVALID_TOKEN',
    'PLAYER_NOT_FOUND',
    'PLAYER_BLOCKED',
    'LIMIT_EXCEEDED',
    'GAME_UNAVAILABLE',
    'INSUFFICIENT_FUNDS',
    'ROUND_CLOSED',
    'TRANSACTION_NOT_FOUND',
    'TRANSACTION_CONFLICT',
    'INTERNAL_ERROR',
  ]),
  balance: z.string().nullable(),
  currency: z.string().nullable(),
  transactionId: z
    .string()
    .nullable()
    .meta({ description: "The platform's id of the transaction; null if nothing was booked." }),
  alreadyProcessed: z.boolean(),
});

/** The provider's response. Other fields are ignored. */
export const Launched = z.object({ url: z.string().max(4000) });

const Words = z.array(z.string().max(1000));
export const Games = z.object({
  total: z.number().int(),
  games: z.array(
    z.object({
      code: Name,
      name: Name,
      type: z.enum(['SLOTS', 'EVO_GAME']),
      categories: Words,
      images: Words,
      currencies: Words.nullish(),
      blockedCountries: Words.nullish(),
      description: z.string().max(5000).nullish(),
      rtp: z.number().nullish(),
      volatility: z.enum(['LOW', 'MEDIUM', 'HIGH']).nullish(),
      maxWinMultiplier: z.number().nullish(),
      hasDemo: z.boolean(),
      hasFreeSpins: z.boolean(),
    }),
  ),
});

export const Report = z.object({
  transactions: z.array(
    z.object({
      transactionId: Name,
      type: z.string().max(32),
      playerId: Name,
      currency: Name,
      amount: z.string().max(40),
      roundId: Name.nullish(),
      gameCode: Name.nullish(),
      at: z.iso.datetime({ offset: true }),
      state: z.enum(['DONE', 'UNDONE']),
      roundClosed: z.boolean().nullish(),
      referenceTransactionId: Name.nullish(),
    }),
  ),
});
