import { defineModule } from '../../../http/module.ts';
import { getExchangeRate, listCurrencies, listExchangeRates } from './list.ts';
import { overduePoints } from './queries.ts';
import { KEEP_POINTS_MS } from './refresh.ts';
import type { CurrencyDeps } from './service.ts';

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
