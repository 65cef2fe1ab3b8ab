import { defineModule } from '../../../http/module.ts';
import { whileStarting } from '../../../platform/database/while-starting.ts';
import { getHealth, getLiveness, getReadiness, getVersion } from './get.ts';
import type { HealthDeps } from './service.ts';

export const health = defineModule({
  name: 'health',
  operations: [getHealth, getLiveness, getReadiness, getVersion],
  backoffice: { operations: [getHealth], without: '', tag: 'Health' },
  start: ({ core, config, log }: HealthDeps) =>
    whileStarting({ what: 'health', log, timeoutMs: config.DATABASE_START_TIMEOUT_MS }, () => core.start()),
});
