import type { Config } from '../../../platform/config/config.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Core } from './service.ts';

export type HealthDeps = { core: Core; config: Config; log: Log };
