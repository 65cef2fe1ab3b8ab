import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { betFields, limitFields, resultFields } from '../schemas.ts';

export const DiceBet = strictObject('DiceBet', {
  ...betFields,
  threshold: z.number().min(0).max(100),
  above: z.boolean(),
});

export const DiceResult = object('DiceResult', {
  ...resultFields,
  above: z.boolean(),
  randomValue: z.number(),
  threshold: z.number(),
  didWin: z.boolean(),
});

export const DiceConfig = object('DiceConfig', {
  ...limitFields,
  maxMultiplier: z.number(),
  rtp: z.number(),
});
