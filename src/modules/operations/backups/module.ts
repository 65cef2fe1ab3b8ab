import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { readBackupAge } from './queries.ts';

export const backups = defineModule({
  name: 'backups',
  watch: ({ db, metrics }: { db: Db; metrics: Metrics }) =>
    metrics.watch('croupier_backup_age_seconds', 'Time since the newest backup was finished', () =>
      readBackupAge(db),
    ),
});
