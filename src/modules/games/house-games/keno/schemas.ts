import { z } from 'zod';
import { betFields, limitFields, resultFields } from '../schemas.ts';
import { areDifferent, KENO_MOST, KENO_NUMBERS, KENO_RISKS } from './rules.ts';

export const KenoBet = z
  .strictObject({
    ...betFields,
    risk: z.enum(KENO_RISKS),
    selected: z
      .array(z.number().int().min(1).max(KENO_NUMBERS))
      .min(1)
      .max(KENO_MOST)
      .refine(areDifferent, 'needs different numbers'),
  })
  .meta({ id: 'KenoBet' });

export const KenoResult = z
  .object({ ...resultFields, results: z.array(z.number()).meta({ description: 'In order of drawing' }) })
  .meta({ id: 'KenoResult' });

const MultipliersByRisk = z.record(z.string(), z.record(z.string(), z.array(z.number()))).meta({
  description: 'Risk, count of selected numbers ("1" to "10"), then multipliers by hits from 0 on',
});

export const KenoConfig = z
  .object({ ...limitFields, multipliers: MultipliersByRisk })
  .meta({ id: 'KenoConfig' });
