import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { betFields, limitFields, resultFields } from '../schemas.ts';
import { PLINKO_RISKS, PLINKO_ROWS } from './rules.ts';

export const PlinkoBet = strictObject('PlinkoBet', {
  ...betFields,
  risk: z.enum(PLINKO_RISKS),
  rowsCount: z.number().int().min(PLINKO_ROWS.least).max(PLINKO_ROWS.most),
});

export const PlinkoResult = object('PlinkoResult', {
  ...resultFields,
  results: z.array(z.number()).meta({ description: '0 left, 1 right, from the top row on' }),
});

export const PlinkoConfig = object('PlinkoConfig', {
  ...limitFields,
  manualMs: z.number(),
  autoMs: z.number(),
});
