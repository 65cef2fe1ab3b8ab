import { z } from 'zod';
import { Decimal, object } from '../../../http/schemas.ts';

const CurrencyNetwork = object('CurrencyNetwork', {
  id: z.string().meta({ example: 'tron' }),
  name: z.string(),
  depositEnabled: z.boolean(),
  withdrawEnabled: z.boolean(),
});

export const CurrencyDto = object('CurrencyDto', {
  id: z.string().meta({ example: 'USDT' }),
  name: z.string(),
  symbol: z.string(),
  type: z.enum(['CRYPTO', 'FIAT']),
  decimals: z.number().int(),
  displayDecimals: z.number().int(),
  usdRate: Decimal,
  networks: z.array(CurrencyNetwork),
  enabled: z.boolean(),
  order: z.number(),
  iconUrl: z.string().nullable(),
});
