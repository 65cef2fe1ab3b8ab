import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { watchBusiness } from './business-figures.ts';
import { getGameSeries, getGameStats, getGameTypes, listGames } from './charts/game-stats.ts';
import { getMainStats, getOptions, getPaymentStats, getRegistrationStats } from './charts/stats.ts';
import { checks } from './checks.ts';
import { getGames } from './compared/games.ts';
import { getLiabilities } from './compared/liabilities.ts';
import { getRevenue, listPayments } from './compared/money.ts';
import { getOverview } from './compared/overview.ts';
import { getTopUsers, getUsers } from './compared/users.ts';
import { packDays } from './packed/queries.ts';
import { createDashboards, type DashboardDeps } from './request.ts';

type Services = DashboardDeps & { db: Db; metrics: Metrics };

export const dashboards = defineModule({
  name: 'dashboards',
  tags: {
    'Admin Dashboard': 'Figures of a period compared with the previous one, in any time zone.',
    'Admin Dashboard V2': 'Figures and series over preset or custom periods, also by game.',
  },
  checks,
  create: ({ config }: { config: Config }) => ({ dashboards: createDashboards(config) }),
  operations: [
    getOverview,
    getRevenue,
    listPayments,
    getUsers,
    getGames,
    getTopUsers,
    getLiabilities,
    getOptions,
    getMainStats,
    getGameStats,
    getGameSeries,
    listGames,
    getGameTypes,
    getPaymentStats,
    getRegistrationStats,
  ],
  jobs: ({ db }: Services) => [
    { name: 'dashboards.pack', everyMs: 300_000, run: (closing) => packDays(db, closing) },
  ],
  watch: ({ reads, metrics }: Services) => watchBusiness(reads, metrics),
});
