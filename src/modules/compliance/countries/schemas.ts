import { z } from 'zod';
import { object } from '../../../http/schemas.ts';

export const Country = object('Country', {
  name: z.string(),
  code: z.string(),
  dialCode: z.string(),
  isBlocked: z.boolean(),
});
