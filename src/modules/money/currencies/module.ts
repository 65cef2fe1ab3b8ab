import { defineModule } from '../../../http/module.ts';
import type { CurrencyDeps } from './deps.ts';
import { listCurrencies } from './list.ts';
import { overduePoints } from './queries.ts';
import { getExchangeRate, listExchangeRates } from './rates.ts';
import { KEEP_POINTS_MS } from './refresh.ts';

export const currencies = defineModule({
  name: 'currencies',
  operations: [listCurrencies, listExchangeRates, getExchangeRate],
  jobs: ({ config, currencies }: CurrencyDeps) => [
    {
      name: 'rates.refresh',
      everyMs: config.RATE_REFRESH_SECONDS * 1000,
      run: currencies.refreshRates,
      overdue: [overduePoints(KEEP_POINTS_MS)],
    },
  ],
  start: ({ currencies }) => currencies.start(),
  close: ({ currencies }) => currencies.close(),
});
