import type { Config } from '../../../platform/config/config.ts';
import { sharedByKey } from '../../../platform/limits/shared-read.ts';

export type Dashboards = ReturnType<typeof createDashboards>;

/** Maximum number of cached responses. */
const MAX_SHARED = 500;

/** Shares a response between equal requests within DASHBOARD_SHARED_SECONDS. */
export const createDashboards = (config: Pick<Config, 'DASHBOARD_SHARED_SECONDS'>) => ({
  share: sharedByKey(config.DASHBOARD_SHARED_SECONDS * 1000, MAX_SHARED),
});
