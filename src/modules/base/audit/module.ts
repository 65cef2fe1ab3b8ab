import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { overdueOf } from '../../../platform/jobs/purge.ts';
import { listAudit } from './list.ts';
import { type Audit, createAudit } from './service.ts';

const HOUR_SECONDS = 3600;

type Deps = { reads: Db; audit: Audit };

export const audit = defineModule({
  name: 'audit',
  create: ({ db }: { db: Db }) => ({ audit: createAudit({ db }) }),
  operations: [listAudit],
  jobs: ({ audit }: Deps) => [
    {
      // Adds an hour's counts of rejected player calls to the log at most ten minutes after the end of that hour.
      name: 'audit.refusals',
      everyMs: 600_000,
      run: audit.enterRefusals,
      overdue: [overdueOf({ table: 'refused_calls', after: 'hour', keepSeconds: HOUR_SECONDS + 60 })],
    },
  ],
});
