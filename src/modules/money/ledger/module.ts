import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { type AccountHours, createAccountHours } from './account-hours.ts';
import { checks } from './checks.ts';
import { createIdsTaken } from './safe-watermark.ts';
import { watchWatermark } from './watermark.ts';

type Before = { db: Db; log: Logs; metrics: Metrics; config: Config };

export const ledger = defineModule({
  name: 'ledger',
  checks,
  create: ({ db, log, metrics, config }: Before) => ({
    idsTaken: createIdsTaken(db),
    accountHours: createAccountHours(db),
    watermark: watchWatermark({ db, metrics, config, log: log.named('db') }),
  }),
  jobs: ({ accountHours }: { accountHours: AccountHours }) => [
    { name: 'ledger.account-hours', everyMs: 300_000, run: accountHours.rollUp },
  ],
});
