import { z } from 'zod';
import { betFields, limitFields, resultFields } from '../schemas.ts';

export const DiceBet = z
  .strictObject({ ...betFields, threshold: z.number().min(0).max(100), above: z.boolean() })
  .meta({ id: 'DiceBet' });

export const DiceResult = z
  .object({
    ...resultFields,
    above: z.boolean(),
    randomValue: z.number(),
    threshold: z.number(),
    didWin: z.boolean(),
  })
  .meta({ id: 'DiceResult' });

export const DiceConfig = z
  .object({ ...limitFields, maxMultiplier: z.number(), rtp: z.number() })
  .meta({ id: 'DiceConfig' });
