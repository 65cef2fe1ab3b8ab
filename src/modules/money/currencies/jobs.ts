import type { Config } from '../../../platform/config.ts';
import type { Job } from '../../../platform/jobs.ts';
import type { Currencies } from './service.ts';

export const currencyJobs = (currencies: Currencies, config: Config): Job[] => [
  {
    name: 'rates.refresh',
    everyMs: config.RATE_REFRESH_SECONDS * 1000,
    run: () => currencies.refreshRates(),
  },
];
