import { z } from 'zod';
import { CurrencyId, Decimal, object, strictObject } from '../../../../http/schemas.ts';
import { betFields, limitFields } from '../schemas.ts';
import { DIFFICULTIES, stepsOf } from './rules.ts';

const MOST_STEPS = Math.max(...DIFFICULTIES.map(stepsOf));

export const MonkeyRunBet = strictObject('MonkeyRunBet', { ...betFields, difficulty: z.enum(DIFFICULTIES) });

export const MonkeyRunStep = strictObject('MonkeyRunStep', {
  makeStep: z.number().int().min(1).max(MOST_STEPS).meta({ description: 'Number of the tile to reach' }),
  windowId: betFields.windowId,
});

export const MonkeyRunRoundState = object('MonkeyRunState', {
  difficulty: z.string(),
  currencyId: CurrencyId,
  betAmount: Decimal,
  cashOut: Decimal,
  nextStepProfit: Decimal,
  isFinished: z.boolean(),
  canCashOut: z.boolean(),
  multipliers: z.array(z.number()),
  step: z.number().int(),
  deadPoint: z.number().int().optional(),
});

const Difficulties = z.record(z.string(), z.object({ steps: z.number(), multipliers: z.array(z.number()) }));

export const MonkeyRunConfig = object('MonkeyRunConfig', {
  ...limitFields,
  difficulties: Difficulties,
  rtp: z.number(),
  maxMultiplier: z.number(),
});
