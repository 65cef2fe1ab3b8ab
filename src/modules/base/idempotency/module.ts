import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import { DAY_SECONDS, purgeJob } from '../../../platform/jobs/purge.ts';

type Deps = { db: Db; config: Pick<Config, 'IDEMPOTENCY_KEEP_DAYS'> };

export const idempotency = defineModule<Deps>({
  name: 'idempotency',
  jobs: ({ db, config }) => [
    purgeJob(db, {
      name: 'idempotency.purge',
      // Runs every minute, so that each run deletes the keys of about one minute and scans few dead rows.
      everyMs: 60_000,
      expiries: [
        {
          table: 'idempotency_keys',
          after: 'created_at',
          keepSeconds: config.IDEMPOTENCY_KEEP_DAYS * DAY_SECONDS,
          brin: 'idempotency_keys_created_idx',
        },
      ],
    }),
  ],
});
