import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import { DAY_SECONDS, overdueOf } from '../../../platform/jobs/purge.ts';
import { createWebhooks, PROCESS, type WebhookOptions, type Webhooks } from './service.ts';

type Deps = { webhooks: Webhooks; config: Pick<Config, 'WEBHOOKS_KEEP_DAYS'> };

export const webhooks = defineModule({
  name: 'webhooks',
  tags: { Webhooks: 'Signed webhooks of payment, identity and skin partners.' },
  create: (before: WebhookOptions) => ({ webhooks: createWebhooks(before) }),
  tasks: ({ webhooks }: Deps) => ({ [PROCESS]: webhooks.process }),
  jobs: ({ webhooks, config: { WEBHOOKS_KEEP_DAYS: days } }: Deps) => [
    // Runs often, because processes of version 0.1.0 may store webhooks while an upgrade is in progress.
    { name: 'webhooks.queue-older', everyMs: 60_000, run: webhooks.queueOlder },
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
