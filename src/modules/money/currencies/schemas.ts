import { z } from 'zod';
import { Decimal, object, Timestamp } from '../../../http/schemas.ts';

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

const rate = {
  currencyId: z.string().meta({ example: 'USDT' }),
  usdRate: Decimal,
  source: z.string(),
  updatedAt: Timestamp,
  stale: z.boolean(),
};

export const ExchangeRate = object('ExchangeRate', rate);

export const ExchangeRateDetail = object('ExchangeRateDetail', {
  ...rate,
  points: z.array(z.object({ at: Timestamp, usdRate: Decimal })),
});

export const RatePath = z.object({ currencyId: z.string() });
