import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import { sharedByKey } from '../../../platform/limits/shared-read.ts';
import type { GameLabels } from '../../games/casino/labels.ts';
import type { Returns } from '../../games/house-games/returns/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';

export type DashboardDeps = {
  /** Database for figures. Its data may be slightly out of date. */
  reads: Db;
  databaseClock: { now(): number };
  currencies: Pick<Currencies, 'ids' | 'toUsd'>;
  gameLabels: GameLabels;
  returns: Pick<Returns, 'bandsOf'>;
  dashboards: Dashboards;
};

type Dashboards = ReturnType<typeof createDashboards>;

/** Maximum number of cached responses. */
const MAX_SHARED = 500;

/** Caches a response and returns it to equal requests within DASHBOARD_SHARED_SECONDS. */
export const createDashboards = (config: Pick<Config, 'DASHBOARD_SHARED_SECONDS'>) => ({
  share: sharedByKey(config.DASHBOARD_SHARED_SECONDS * 1000, MAX_SHARED),
});
