import { defineModule } from '../../../http/module.ts';
import { overdueOf } from '../../../platform/jobs/purge.ts';
import { checks } from './checks.ts';
import { createUserStats, type UserStatsDeps, type UserStatsOptions } from './service.ts';
import {
  EXPIRIES,
  getFullStats,
  getFullStatsInBackoffice,
  getOwnStats,
  getPublicStats,
  listPaymentStats,
  purgePaymentStats,
  rebuildStats,
} from './statistics.ts';

const HOUR_MS = 3_600_000;

export const userStats = defineModule({
  name: 'user-stats',
  checks,
  create: (before: UserStatsOptions) => ({ userStats: createUserStats(before) }),
  operations: [getOwnStats, getPublicStats, listPaymentStats, rebuildStats, getFullStats],
  backoffice: {
    operations: [listPaymentStats, getFullStatsInBackoffice],
    without: '/admin',
    tag: 'User',
  },
  jobs: ({ db }: UserStatsDeps) => [
    {
      name: 'payment-stats.purge',
      everyMs: HOUR_MS,
      run: () => purgePaymentStats(db),
      overdue: EXPIRIES.map(overdueOf),
    },
  ],
  consumers: (services: UserStatsDeps) => [services.userStats],
});
