import { z } from 'zod';
import { Amount, object, strictObject } from '../../../../http/schemas.ts';
import { betFields, limitFields, resultFields } from '../schemas.ts';
import { ROULETTE_MOST_ENTRIES, ROULETTE_TYPES } from './rules.ts';

const RouletteEntry = z.strictObject({
  type: z.enum(ROULETTE_TYPES),
  numbers: z
    .array(z.number().int().min(0).max(36))
    .max(6)
    .optional()
    .meta({
      description: 'In any order: numbers of the wheel; 1, 2 or 3 for DOZEN and COLUMN; none for RED … HIGH',
      example: [1],
    }),
  amount: Amount.meta({ description: 'US dollars', example: '1.50' }),
});

const RouletteBetParams = z
  .strictObject({ bets: z.array(RouletteEntry).min(1).max(ROULETTE_MOST_ENTRIES) })
  .meta({ id: 'RouletteBetParams', description: 'betAmount is the sum of the amounts' });

export const RouletteBet = strictObject('RouletteBet', { ...betFields, params: RouletteBetParams });

export const RouletteResult = object('RouletteResult', { ...resultFields, randomPosition: z.number().int() });

export const RouletteConfig = object('RouletteConfig', limitFields);
