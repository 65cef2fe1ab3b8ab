import { defineModule } from '../../../http/module.ts';
import { countDay, type LiabilityDeps } from './count-day.ts';

export const liabilities = defineModule({
  name: 'liabilities',
  checks: {
    N10: {
      'liabilities are stored for a day that was not counted': `
        select day, kind, currency_id, amount from liability_days where day not in (select day from liability_counts)`,
    },
  },
  // The job runs every five minutes, so that a new day is counted soon after it begins.
  jobs: (deps: LiabilityDeps) => [{ name: 'liabilities.count', everyMs: 300_000, run: () => countDay(deps) }],
});
