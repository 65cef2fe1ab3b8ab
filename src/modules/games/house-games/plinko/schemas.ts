import { z } from 'zod';
import { betFields, limitFields, resultFields } from '../schemas.ts';
import { PLINKO_RISKS, PLINKO_ROWS } from './rules.ts';

export const PlinkoBet = z
  .strictObject({
    ...betFields,
    risk: z.enum(PLINKO_RISKS),
    rowsCount: z.number().int().min(PLINKO_ROWS.least).max(PLINKO_ROWS.most),
  })
  .meta({ id: 'PlinkoBet' });

export const PlinkoResult = z
  .object({
    ...resultFields,
    results: z.array(z.number()).meta({ description: '0 left, 1 right, from the top row on' }),
  })
  .meta({ id: 'PlinkoResult' });

export const PlinkoConfig = z
  .object({ ...limitFields, manualMs: z.number(), autoMs: z.number() })
  .meta({ id: 'PlinkoConfig' });
