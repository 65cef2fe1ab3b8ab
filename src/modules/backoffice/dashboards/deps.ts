import type { Db } from '../../../platform/database/db.ts';
import type { GameLabels } from '../../games/casino/labels.ts';
import type { Returns } from '../../games/house-games/returns/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { Dashboards } from './service.ts';

export type DashboardDeps = {
  /** May be slightly stale. */
  reads: Db;
  databaseClock: { now(): number };
  currencies: Pick<Currencies, 'ids' | 'toUsd'>;
  gameLabels: GameLabels;
  returns: Pick<Returns, 'bandsOf'>;
  dashboards: Dashboards;
};
