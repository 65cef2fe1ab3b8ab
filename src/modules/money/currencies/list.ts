import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Decimal, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatRate } from '../../../platform/money.ts';
import { readPoints } from './queries.ts';
import { type CurrencyDeps, CurrencyDto } from './service.ts';

export const listCurrencies = operation({
  method: 'GET',
  path: '/currency',
  tag: 'Currency',
  access: 'anonymous',
  summary: 'List currencies available for play',
  response: z.array(CurrencyDto),
  handler: ({ currencies }: CurrencyDeps) => currencies.catalogue(),
});

const HISTORY_MS = 24 * 3_600_000;
const MAX_POINTS = 1440;

const rate = {
  currencyId: z.string().meta({ example: 'USDT' }),
  usdRate: Decimal,
  source: z.string(),
  updatedAt: Timestamp,
  stale: z.boolean(),
};
const ExchangeRate = object('ExchangeRate', rate);

const common = { method: 'GET', tag: 'Exchange Rates', access: 'anonymous' } as const;

export const listExchangeRates = operation({
  ...common,
  path: '/exchange-rates',
  summary: 'List exchange rates in US dollars',
  response: z.array(ExchangeRate),
  handler: ({ currencies }: CurrencyDeps) =>
    currencies.list().map(({ id }) => toExchangeRate(currencies, id)),
});

export const getExchangeRate = operation({
  ...common,
  path: '/exchange-rates/{currencyId}',
  summary: 'Get the exchange rate of a currency',
  description: 'Includes the rates of the last 24 hours, oldest first.',
  params: z.object({ currencyId: z.string() }),
  response: object('ExchangeRateDetail', {
    ...rate,
    points: z.array(z.object({ at: Timestamp, usdRate: Decimal })),
  }),
  errors: [commonErrors.CURRENCY_NOT_FOUND],
  handler: async ({ db, databaseClock, currencies }: CurrencyDeps, { params: { currencyId } }) => {
    const { id } = currencies.get(currencyId);
    const to = new Date(databaseClock.now());
    const from = new Date(to.getTime() - HISTORY_MS);
    const points = await readPoints(db, { id, from, to, limit: MAX_POINTS });
    return {
      ...toExchangeRate(currencies, id),
      points: points.map((p) => ({ at: iso(p.at), usdRate: formatRate(p.usd_rate) })),
    };
  },
});

function toExchangeRate(
  { rateOf }: CurrencyDeps['currencies'],
  currencyId: string,
): z.input<typeof ExchangeRate> {
  const { rate, source, updatedAt, stale } = rateOf(currencyId);
  return { currencyId, usdRate: formatRate(rate), source, updatedAt: iso(updatedAt), stale };
}
