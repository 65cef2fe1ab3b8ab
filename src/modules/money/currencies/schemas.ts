import { z } from 'zod';
import { Decimal, Timestamp } from '../../../http/schemas.ts';

const CurrencyNetwork = z
  .object({
    id: z.string().meta({ example: 'tron' }),
    name: z.string(),
    depositEnabled: z.boolean(),
    withdrawEnabled: z.boolean(),
  })
  .meta({ id: 'CurrencyNetwork' });

export const CurrencyDto = z
  .object({
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
  })
  .meta({ id: 'CurrencyDto' });

const rate = {
  currencyId: z.string().meta({ example: 'USDT' }),
  usdRate: Decimal,
  source: z.string(),
  updatedAt: Timestamp,
  stale: z.boolean(),
};

export const ExchangeRate = z.object(rate).meta({ id: 'ExchangeRate' });

export const ExchangeRateDetail = z
  .object({ ...rate, points: z.array(z.object({ at: Timestamp, usdRate: Decimal })) })
  .meta({ id: 'ExchangeRateDetail' });

export const RatePath = z.object({ currencyId: z.string() });
