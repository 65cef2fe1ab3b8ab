import { defineModule } from '../../../http/module.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { createPartnerReports } from './service.ts';

export const findings = defineModule({
  name: 'findings',
  create: ({ log, metrics }: { log: Logs; metrics: Metrics }) => ({
    partnerReports: createPartnerReports({ log: log.named('webhooks'), metrics }),
  }),
});
