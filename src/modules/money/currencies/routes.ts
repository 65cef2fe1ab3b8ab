import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { CurrencyDto, ExchangeRate, ExchangeRateDetail, RatePath } from './schemas.ts';
import type { Currencies } from './service.ts';

const rates = { method: 'GET', tag: 'Exchange Rates', access: 'anonymous' } as const;

export const currencyRoutes = (currencies: Currencies) => [
  route({
    method: 'GET',
    path: '/currency',
    tag: 'Currency',
    access: 'anonymous',
    summary: 'Currencies that can be played with',
    response: z.array(CurrencyDto),
    handler: () => currencies.catalogue(),
  }),
  route({
    ...rates,
    path: '/exchange-rates',
    summary: 'Rates of all currencies in US dollars',
    response: z.array(ExchangeRate),
    handler: () => currencies.rates(),
  }),
  route({
    ...rates,
    path: '/exchange-rates/{currencyId}',
    summary: 'Rate of one currency with its last 24 hours',
    params: RatePath,
    response: ExchangeRateDetail,
    errors: [commonErrors.CURRENCY_NOT_FOUND],
    handler: ({ params }) => currencies.rateHistory(params.currencyId),
  }),
];
