import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import { DAY_SECONDS, overdueOf } from '../../../platform/jobs/purge.ts';
import type { Webhooks } from './service.ts';

type Deps = { webhooks: Webhooks; config: Pick<Config, 'WEBHOOKS_KEEP_DAYS'> };

export const webhooks = defineModule<Deps>({
  name: 'webhooks',
  operations: [],
  jobs: ({ webhooks, config: { WEBHOOKS_KEEP_DAYS: days } }) => [
    { name: 'webhooks.retry', everyMs: 10_000, run: () => webhooks.retry() },
    {
      name: 'webhooks.purge',
      everyMs: 3_600_000,
      run: () => webhooks.forget(days),
      overdue: [
        overdueOf({
          table: 'webhook_events',
          after: 'received_at',
          keepSeconds: days * DAY_SECONDS,
          where: `processed_at is not null and body <> ''`,
        }),
      ],
    },
  ],
});
