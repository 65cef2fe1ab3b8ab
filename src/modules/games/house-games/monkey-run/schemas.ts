import { z } from 'zod';
import { CurrencyId, Decimal } from '../../../../http/schemas.ts';
import { betFields, limitFields } from '../schemas.ts';
import { DIFFICULTIES, stepsOf } from './rules.ts';

const MOST_STEPS = Math.max(...DIFFICULTIES.map(stepsOf));

export const MonkeyRunBet = z
  .strictObject({ ...betFields, difficulty: z.enum(DIFFICULTIES) })
  .meta({ id: 'MonkeyRunBet' });

export const MonkeyRunStep = z
  .strictObject({
    makeStep: z.number().int().min(1).max(MOST_STEPS).meta({ description: 'Number of the tile to reach' }),
    windowId: betFields.windowId,
  })
  .meta({ id: 'MonkeyRunStep' });

export const MonkeyRunRoundState = z
  .object({
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
  })
  .meta({ id: 'MonkeyRunState' });

const Difficulties = z.record(z.string(), z.object({ steps: z.number(), multipliers: z.array(z.number()) }));

export const MonkeyRunConfig = z
  .object({ ...limitFields, difficulties: Difficulties, rtp: z.number(), maxMultiplier: z.number() })
  .meta({ id: 'MonkeyRunConfig' });
