import { defineModule } from '../../../http/module.ts';
import { whileStarting } from '../../../platform/database/while-starting.ts';
import type { Log, Logs } from '../../../platform/observability/log.ts';
import { createPartitions, type PartitionDeps, type Partitions } from './service.ts';

type Services = {
  partitions: Partitions;
  log: Log;
  config: { DATABASE_START_TIMEOUT_MS: number };
};

export const partitions = defineModule({
  name: 'partitions',
  create: (before: PartitionDeps & { log: Logs }) => ({
    partitions: createPartitions({ ...before, log: before.log.named('db') }),
  }),
  jobs: ({ partitions }: Services) => [
    { name: 'partitions.maintain', everyMs: 60_000, run: () => partitions.maintain() },
  ],
  start: ({ partitions, log, config }: Services) =>
    whileStarting({ what: 'partitions', log, timeoutMs: config.DATABASE_START_TIMEOUT_MS }, () =>
      partitions.ensure(),
    ),
});
