import { defineModule } from '../../../http/module.ts';
import { whileStarting } from '../../../platform/database/while-starting.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { WatermarkHealth } from '../../money/ledger/watermark.ts';
import {
  type CoreDeps,
  createCore,
  getHealth,
  getLiveness,
  getReadiness,
  getVersion,
  type HealthDeps,
} from './health.ts';

export const health = defineModule({
  name: 'health',
  tags: {
    Core: 'Health, readiness and version of the service.',
    Health: 'Health of the service.',
  },
  create: (before: CoreDeps & { log: Logs; watermark: { health: () => WatermarkHealth } }) => {
    const core = createCore({ ...before, log: before.log.named('db') });
    core.report('watermark', before.watermark.health, { isForReady: true });
    return { core };
  },
  operations: [getHealth, getLiveness, getReadiness, getVersion],
  backoffice: { operations: [getHealth], without: '', tag: 'Health' },
  start: ({ core, config, log }: HealthDeps) =>
    whileStarting({ what: 'health', log, timeoutMs: config.DATABASE_START_TIMEOUT_MS }, () => core.start()),
});
