import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { deleteDue, overdueOf } from '../../../platform/jobs/purge.ts';
import type { OnConsumed } from '../../games/bets/consume.ts';
import { createLimitWarnings, EXPIRY, type LimitWarnings, limitWarningEvents } from './consumer.ts';

const HOUR_MS = 3_600_000;

type Services = { db: Db; limitWarnings: LimitWarnings };

export const limitWarnings = defineModule({
  name: 'limit-warnings',
  events: limitWarningEvents,
  create: (before: { db: Db; onConsumed: OnConsumed }) => ({ limitWarnings: createLimitWarnings(before) }),
  jobs: ({ db }: Services) => [
    {
      name: 'limit-warnings.purge',
      everyMs: HOUR_MS,
      run: () => deleteDue(db, EXPIRY),
      overdue: [overdueOf(EXPIRY)],
    },
  ],
  consumers: ({ limitWarnings: consumer }) => [consumer],
});
