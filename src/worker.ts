import { sessionJobs } from './modules/auth/jobs.ts';
import { currencyJobs } from './modules/currencies/jobs.ts';
import { idempotencyJobs } from './modules/idempotency/jobs.ts';
import { purgeHits } from './platform/hits.ts';
import { startJobs } from './platform/jobs.ts';
import type { Services } from './services.ts';

/** Everything that happens without a request. However many workers run, each job runs in one of them at a time. */
export function startWorker({ db, log, config, currencies }: Services) {
  const minute = () => Math.floor(Date.now() / 60_000);
  return startJobs(
    [
      ...currencyJobs(currencies, config),
      ...sessionJobs(db),
      ...idempotencyJobs(db),
      { name: 'rate-limits.purge', everyMs: 60_000, run: () => purgeHits(db, minute()) },
    ],
    { db, log },
  );
}
