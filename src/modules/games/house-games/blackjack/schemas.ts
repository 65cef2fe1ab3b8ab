import { z } from 'zod';
import { Amount, Decimal, object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { betFields, limitFields } from '../schemas.ts';
import { isLayable } from './cards/rules.ts';
import { ACTIONS } from './table/rules.ts';

const initFields = {
  ...betFields,
  sideBetAmount: Amount.nullable().optional().meta({
    description: 'Perfect Pair side bet in US dollars, at most betAmount; null or "0": none',
    example: '0.50',
  }),
};

export const BlackjackInit = strictObject('BlackjackInit', initFields);

const Card = z.number().int().min(1).max(52);

export const BlackjackInitDebug = strictObject('BlackjackInitDebug', {
  ...initFields,
  deck: z
    .array(Card)
    .min(4)
    .max(52)
    .refine(isLayable, 'needs to hold no card twice')
    .meta({
      description: 'Dealt from the first on; cards left out follow in ascending order',
      example: [8, 21, 7, 49],
    }),
});

export const BlackjackAction = strictObject('BlackjackAction', {
  action: z.enum(ACTIONS),
  windowId: betFields.windowId,
});

const BlackjackDealer = object('BlackjackDealer', {
  cards: z.array(z.number().int()),
  hiddenCards: z.number().int(),
  total: z.number().int(),
  isBlackjack: z.boolean(),
  isBust: z.boolean(),
});

const BlackjackHand = object('BlackjackHand', {
  cards: z.array(z.number().int()),
  total: z.number().int(),
  isSoft: z.boolean(),
  isBlackjack: z.boolean(),
  isBust: z.boolean(),
  isDoubled: z.boolean(),
  betAmount: Decimal,
  result: z.enum(['WIN', 'LOSE', 'PUSH', 'BLACKJACK']).nullable(),
  payout: Decimal.nullable(),
});

/** Amounts are in US dollars. */
export const BlackjackState = object('BlackjackState', {
  betId: z.string(),
  status: z.enum(['PLAYER_TURN', 'FINISHED']),
  currencyId: z.string(),
  betAmount: Decimal,
  sideBetAmount: Decimal.nullable(),
  /** PERFECT_PAIR takes more than one deck: reserved. */
  sideBetResult: z.enum(['NONE', 'MIXED_PAIR', 'COLORED_PAIR', 'PERFECT_PAIR']).nullable(),
  sideBetPayout: Decimal.nullable(),
  insuranceAmount: Decimal.nullable(),
  dealer: BlackjackDealer,
  hands: z.array(BlackjackHand),
  activeHandIndex: z.number().int().nullable(),
  availableActions: z.array(z.string()),
  payout: Decimal.nullable(),
  createdAt: Timestamp,
  finishedAt: Timestamp.nullable(),
});

export const BlackjackRound = object('BlackjackRound', { data: BlackjackState });
export const ActiveBlackjackRound = object('ActiveBlackjackRound', { data: BlackjackState.nullable() });

export const BlackjackConfig = object('BlackjackConfig', limitFields);
