import { z } from 'zod';
import { isNumeral, type Numeral } from '../../../money/payments/providers/rules.ts';

/** An integer of JSON as it was read, or as it was written where a float may not hold it: no amount passes through a float. */
export const Integer = z
  .custom<number | Numeral>((value) => typeof value === 'number' || isNumeral(value), 'needs to be a number')
  .meta({ type: 'integer' });
