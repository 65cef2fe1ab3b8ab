import { z } from 'zod';
import { Decimal, object, Timestamp, text } from '../../../../http/schemas.ts';
import { errors } from '../../../../platform/errors.ts';

/**
 * Errors with the sportsbook's own codes. Each of these errors is final. The sportsbook resends a call whose response is neither 200 nor
 * 400.
 */
export const sportsbookErrors = errors({
  'error.general': [400, 'The bet has ended and can no longer change.'],
  'error.request.invalid': [400, 'The request is invalid; see details.'],
  'error.user.not-found': [400, 'The player does not exist.'],
  'error.retry.incorrect': [
    400,
    'The id belongs to another transaction, or was rolled back before it arrived.',
  ],
  'limit.exceeded': [400, "The transaction would exceed one of the player's gambling limits."],
  'decline.limit.conflict': [400, "The player's limits do not allow the transaction."],
  'decline.balance.conflict': [400, "The player's balance does not allow the transaction."],
  'decline.parent.notfound': [400, 'The bet or parent transaction does not exist.'],
  'decline.parent.failed': [400, 'The parent transaction was rejected or rolled back.'],
  'decline.player.blocked': [400, 'The player is banned.'],
  'decline.lowbalance': [400, 'The balance is too low; see details.balances.'],
  'decline.restrictions': [400, 'The player cannot bet here now.'],
});

export type DeclineCode = keyof typeof sportsbookErrors;

/** Rejects a transaction. `leavesTombstone`: if the parent transaction arrives later, it is rejected as well. */
export class Decline extends Error {
  readonly code: DeclineCode;
  readonly leavesTombstone: boolean;
  constructor(code: DeclineCode, { leavesTombstone = false } = {}) {
    super(code);
    this.code = code;
    this.leavesTombstone = leavesTombstone;
  }
}

export const PlayerPath = z.object({
  playerId: z.string().meta({ description: "The platform's user id as a string." }),
});

export const SportsbookBalance = object('SportsbookBalance', {
  currency: z.string(),
  cash: Decimal,
  locked: Decimal,
  bonus: Decimal,
});

/** Stored with all fields, including unknown ones. */
const SportsbookContext = z
  .looseObject({
    product: text(100),
    reason: text(100),
    betId: text(200).optional(),
    parentId: text(200).optional(),
    language: text(35).optional(),
  })
  .meta({ id: 'SportsbookContext' });

const Cash = z.union([z.string(), z.number()]).meta({
  description: 'A decimal string, or a JSON number, which is parsed without rounding.',
  example: '12.5',
});

const AmountsTaken = z
  .looseObject({ cash: Cash, locked: Cash.optional(), bonus: Cash.optional() })
  .meta({ id: 'SportsbookAmountsTaken' });

const SportsbookAmounts = z
  .looseObject({ cash: Decimal, locked: Decimal, bonus: Decimal })
  .meta({ id: 'SportsbookAmounts' });

/** Transaction types that we process. */
export const TYPES = ['withdrawal', 'deposit', 'rollback', 'award', 'release', 'retract'] as const;
const Stamp = z.iso.datetime({ offset: true }).max(40).meta({ example: '2026-11-21T09:30:00.000Z' });

/** A transaction as the sportsbook sends it. Unknown fields are ignored, and a metric counts them. */
export const SportsbookCall = z.object({
  id: text(200).min(1),
  currency: text(16).min(1),
  platform: text(100).nullish(),
  type: z.enum(TYPES),
  initiatedAt: Stamp,
  createdAt: Stamp,
  context: SportsbookContext,
  amountBreakdown: AmountsTaken,
});

export const TRANSACTION = {
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
