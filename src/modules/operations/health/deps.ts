import type { Config } from '../../../platform/config.ts';
import type { Log } from '../../../platform/log.ts';
import type { Core } from './service.ts';

export type HealthDeps = { core: Core; config: Config; log: Log };
