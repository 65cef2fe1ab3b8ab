import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { betFields, limitFields, resultFields } from '../schemas.ts';

export const LimboBet = strictObject('LimboBet', {
  ...betFields,
  multiplier: z.number().min(1.01).max(1_000_000),
});

export const LimboResult = object('LimboResult', { ...resultFields, randomMultiplier: z.number() });

export const LimboConfig = object('LimboConfig', {
  ...limitFields,
  minMultiplier: z.number(),
  maxMultiplier: z.number(),
  rtp: z.number(),
});
