import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { betFields, limitFields, resultFields } from '../schemas.ts';
import { areDifferent, KENO_MOST, KENO_NUMBERS, KENO_RISKS } from './rules.ts';

export const KenoBet = strictObject('KenoBet', {
  ...betFields,
  risk: z.enum(KENO_RISKS),
  selected: z
    .array(z.number().int().min(1).max(KENO_NUMBERS))
    .min(1)
    .max(KENO_MOST)
    .refine(areDifferent, 'needs different numbers'),
});

export const KenoResult = object('KenoResult', {
  ...resultFields,
  results: z.array(z.number()).meta({ description: 'In order of drawing' }),
});

const MultipliersByRisk = z.record(z.string(), z.record(z.string(), z.array(z.number()))).meta({
  description: 'Risk, count of selected numbers ("1" to "10"), then multipliers by hits from 0 on',
});

export const KenoConfig = object('KenoConfig', { ...limitFields, multipliers: MultipliersByRisk });
