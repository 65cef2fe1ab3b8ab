import { defineModule } from '../../../http/module.ts';
import { countDay, type LiabilityDeps } from './count-day.ts';

export const liabilities = defineModule({
  name: 'liabilities',
  // The job runs every five minutes, so that a new day is counted soon after it begins.
  jobs: (deps: LiabilityDeps) => [{ name: 'liabilities.count', everyMs: 300_000, run: () => countDay(deps) }],
});
