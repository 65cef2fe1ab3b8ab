import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import { getExchangeRate, listCurrencies, listExchangeRates } from './list.ts';
import { overduePoints } from './queries.ts';
import { KEEP_POINTS_MS } from './refresh.ts';
import { createCurrencies } from './service.ts';

type Before = { db: Db; config: Config; log: Logs; databaseClock: DatabaseClock };

import type { CurrencyDeps } from './service.ts';

export const currencies = defineModule({
  name: 'currencies',
  tags: {
    Currency: 'Currencies with their networks, limits and fees.',
    'Exchange Rates': 'Rates in US dollars, with those of the last 24 hours.',
  },
  create: ({ db, config, log, databaseClock }: Before) => ({
    currencies: createCurrencies({
      db,
      config,
      log: log.named('rates'),
      clock: databaseClock,
      databaseClock,
    }),
  }),
  operations: [listCurrencies, listExchangeRates, getExchangeRate],
  jobs: ({ config, currencies }: CurrencyDeps) => [
    {
      name: 'rates.refresh',
      everyMs: config.RATE_REFRESH_SECONDS * 1000,
      isDue: currencies.areRatesDue,
      run: currencies.refreshRates,
      overdue: [overduePoints(KEEP_POINTS_MS)],
    },
  ],
  start: ({ currencies }) => currencies.start(),
  close: ({ currencies }) => currencies.close(),
});
