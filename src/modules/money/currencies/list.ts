import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import type { CurrencyDeps } from './deps.ts';
import { CurrencyDto } from './schemas.ts';

export const listCurrencies = operation({
  method: 'GET',
  path: '/currency',
  tag: 'Currency',
  access: 'anonymous',
  summary: 'List currencies available for play',
  response: z.array(CurrencyDto),
  handler: ({ currencies }: CurrencyDeps) => currencies.catalogue(),
});
